// Upload an export in pieces; then the server imports it, and the page polls the progress.

import { html, nothing } from "../shared/lit.js";
import { button, createPanel, fileButton, problemLine, readBytes } from "../shared/panel.js";
import { tell, words } from "../shared/server.js";
import { filled, localNumber, localPercent } from "../shared/text.js";

const LOOK_AFTER_MS = 500;
const panel = createPanel("import", { view, receive: () => {} });
let isImporting = false;
let isTaken = false; // uploaded; the server is importing
let isStopped = false;
let said = "";

function view() {
  const stopButton = button("button small", words.bring_in_stop, stop, { isDisabled: isStopped });
  return html`<div class="buttons">${fileButton(words.learn_file, ".jsonl,application/jsonl", takeIn)}${isTaken ? stopButton : nothing}</div>
    ${problemLine(panel)}
    <p class="drawer-said" role="status" aria-live="polite">${said}</p>`;
}

function say(sentence) {
  said = sentence;
  panel.draw();
}

async function takeIn(file) {
  const { largest } = panel.props;
  const tooLarge = filled(words.bring_in_too_large, { size: localNumber(Math.floor(largest / 1e6)) });
  if (file.size > largest) return refuse(tooLarge);
  if (isImporting) return;
  isImporting = true;
  const told = await followTaking(await sendPieces(file));
  isImporting = isTaken = isStopped = false;
  if (!told) return say("");
  say([whatCameIn(told.imported), told.stopped && words.brought_in_stopped].filter(Boolean).join(" "));
  tell("memory");
}

function refuse(sentence) {
  said = "";
  panel.refuse(sentence);
}

// Send a file in pieces, since requests have a size limit. Return the response to the last one.
async function sendPieces(file) {
  const { piece: size } = panel.props;
  for (let place = 0; ; place++) {
    const start = place * size;
    const last = start + size >= file.size;
    const percent = localPercent(start / file.size);
    say(last ? words.bring_in_takes : filled(words.bring_in_comes, { percent }));
    const bytes = await readBytes(file.slice(start, start + size)).catch(() => null);
    if (bytes === null) return refuse(words.bring_in_unreadable);
    const told = await panel.send("piece", { place, last, bytes });
    if (!told || last) return told;
  }
}

async function followTaking(told) {
  while (told?.taking) {
    const { done, of } = told.taking;
    isTaken = true;
    say(of ? filled(words.bring_in_taking, { percent: localPercent(done / of) }) : words.bring_in_takes);
    await new Promise((goOn) => setTimeout(goOn, LOOK_AFTER_MS));
    told = await panel.send("taking");
  }
  return told;
}

function stop() {
  isStopped = true;
  panel.send("stop_taking");
  panel.draw();
}

function whatCameIn({ new: fresh, known, outdated, counting, dropped }) {
  const { entries = 0, turns = 0 } = fresh;
  if (!entries && !turns) return words.brought_in_nothing;
  const more = [
    [(known.entries ?? 0) + (known.turns ?? 0), words.brought_in_known],
    [entries - counting - outdated, words.brought_in_history],
    [outdated, words.brought_in_outdated],
    [dropped, words.brought_in_dropped],
  ];
  const came = filled(words.brought_in, { entries: localNumber(counting), turns: localNumber(turns) });
  const sentences = more.map(([count, sentence]) => (count ? filled(sentence, { count: localNumber(count) }) : ""));
  return [came, ...sentences].filter(Boolean).join(" ");
}

panel.draw();
