// What is about the user as a whole: download all of it, import it from a file, or have all of it forgotten.

import { button, fileButton, readBytes, saveFile } from "../shared/panel.js";
import { html } from "../shared/lit.js";
import { tell, words } from "../shared/server.js";
import { filled, goesAlong, localNumber, localPercent } from "../shared/text.js";
import { act, askToErase, controls, erased, EVERYTHING, notes, panel, say, turnTo } from "./acting.js";

const DOWNLOAD = `${EVERYTHING} download`;
const FORGET = `${EVERYTHING} forget`;
const LOOK_AFTER_MS = 500; // how far a file is taken in
const FORMAT = "application/jsonl";

let isImporting = false;
let isTaken = false; // the file has come, and is taken in on the server
let isStopped = false;

export function everything() {
  return html`<section class="stack memory-everything" aria-labelledby="everything-title">
    <h3 id="everything-title">${words.everything_title}</h3>
    <p class="hint">${filled(words.everything_hint, { days: panel.props.keep_days })}</p>
    ${controls.isOpen(FORGET) ? forgetQuestion() : buttons()}
    ${notes(EVERYTHING, isTaken ? [" ", button("button small", words.bring_in_stop, stop, { isDisabled: isStopped })] : [])}
  </section>`;
}

function buttons() {
  return html`<div class="buttons">
    ${controls.control(DOWNLOAD, "", words.export, download)}
    ${fileButton(words.bring_in, `.jsonl,${FORMAT}`, bringIn)}
    ${controls.control(FORGET, "danger", words.forget_all, () => askToErase(FORGET))}
  </div>`;
}

function forgetQuestion() {
  const takes = erased.get(FORGET);
  const what = takes && goesAlong(takes);
  const question = what ? filled(words.forget_all_takes, { what }) : words.forget_all_sure;
  const asked = { question, label: words.forget_all_yes, keep: words.forget_no, look: "danger filled" };
  return controls.question(FORGET, asked, () => act(FORGET, "forget_all"));
}

async function download() {
  const told = await act(DOWNLOAD, "export");
  if (told) saveFile(told.file, "noted", "jsonl", FORMAT);
}

async function bringIn(file) {
  const { largest } = panel.props;
  const tooLarge = filled(words.bring_in_too_large, { size: localNumber(Math.floor(largest / 1e6)) });
  if (file.size > largest) return refuse(tooLarge);
  if (isImporting) return;
  isImporting = true;
  const told = await followTaking(await sendPieces(file));
  isImporting = isTaken = isStopped = false;
  if (!told) return say("", EVERYTHING);
  say([whatCameIn(told.imported), told.stopped && words.brought_in_stopped].filter(Boolean).join(" "), EVERYTHING);
  tell("memory");
  turnTo(0);
}

function refuse(sentence) {
  say("", EVERYTHING);
  panel.refuse(sentence);
}

// A request may not be long, so a file is sent in pieces. Returns what the server answers to the last one.
async function sendPieces(file) {
  const { piece: size } = panel.props;
  for (let place = 0; ; place++) {
    const start = place * size;
    const last = start + size >= file.size;
    const percent = localPercent(start / file.size);
    say(last ? words.bring_in_takes : filled(words.bring_in_comes, { percent }), EVERYTHING);
    const bytes = await readBytes(file.slice(start, start + size)).catch(() => null);
    if (bytes === null) return refuse(words.bring_in_unreadable);
    const told = await panel.send("piece", { place, last, bytes });
    if (!told || last) return told;
  }
}

// The server takes the file in by itself, and is asked now and then how far it is.
async function followTaking(told) {
  while (told?.taking) {
    const { done, of } = told.taking;
    isTaken = true;
    say(of ? filled(words.bring_in_taking, { percent: localPercent(done / of) }) : words.bring_in_takes, EVERYTHING);
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
