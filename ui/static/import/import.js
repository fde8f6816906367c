// Import an export: one request sends the file, and its response streams the progress. Stop aborts it.

import { html, nothing } from "../shared/lit.js";
import { button, createPanel, fileButton, saidLines } from "../shared/panel.js";
import { follow, tell, words } from "../shared/server.js";
import { filled, localPercent } from "../shared/text.js";

const panel = createPanel("import", { view });
let importing = null; // AbortController of the pending import

function view() {
  return html`<div class="buttons">
      ${fileButton(words.learn_file, ".jsonl,application/jsonl", takeIn)}
      ${importing ? button("button small", words.bring_in_stop, () => importing.abort()) : nothing}
    </div>
    ${saidLines(panel)}`;
}

async function takeIn(file) {
  if (importing) return;
  const { largest } = panel.props;
  panel.said = "";
  panel.refuse(file.size > largest ? filled(words.bring_in_too_large, { size: Math.floor(largest / 1e6) }) : "");
  if (panel.problem) return;
  const { signal } = (importing = new AbortController());
  panel.say(words.bring_in_takes);
  await follow("import", "take_in", file, receive, signal).catch(() => {
    panel.said = signal.aborted ? words.brought_in_stopped : "";
    if (!signal.aborted) panel.refuse(words.lost);
  });
  importing = null;
  panel.draw();
  tell("memory");
}

function receive({ taking, imported, stopped, refused }) {
  panel.said = "";
  if (refused) return panel.refuse(refused);
  if (imported) return panel.say([whatCameIn(imported), stopped && words.brought_in_stopped].filter(Boolean).join(" "));
  const { done, of } = taking;
  panel.say(of ? filled(words.bring_in_taking, { percent: localPercent(done / of) }) : words.bring_in_takes);
}

function whatCameIn({ new: { entries = 0 }, known, of, outdated, counting, dropped }) {
  if (!entries) return of ? words.brought_in_nothing : words.brought_in_empty;
  const more = [
    [known.entries ?? 0, words.brought_in_known],
    [entries - counting - outdated, words.brought_in_history],
    [outdated, words.brought_in_outdated],
    [dropped, words.brought_in_dropped],
  ];
  const sentences = more.filter(([count]) => count).map(([count, sentence]) => filled(sentence, { count }));
  return [filled(words.brought_in, { entries: counting }), ...sentences].join(" ");
}

panel.draw();
