// Read a text sentence by sentence; its facts can be selected and saved. Stop ends the reading.

import { html, nothing } from "../shared/lit.js";
import { button, written } from "../shared/panel.js";
import { createReader } from "../shared/reader.js";
import { mayConnect, tell, words } from "../shared/server.js";
import { filled, howMany, lineText } from "../shared/text.js";

const reader = createReader("learn", {
  accepted: ".txt,.md,text/plain",
  isNeeded: true,
  label: () => words.learn_read,
  begin,
  next: () => (done < total ? ["read", { text: reader.field().value }] : null),
  take,
  progress: () => ({ said: done ? filled(words.learn_progress, { done, of: total }) : "" }),
  ended,
  result,
});
const { panel } = reader;
let total = 1; // sentences, unknown before the first view
let done = 0;
let found = []; // sentences with facts: each its text and lines, which can be ticked
let skipped = 0; // sentences without

const lines = () => found.flatMap((one) => one.lines);

function begin() {
  [total, done, found, skipped] = [1, 0, [], 0];
  reader.run();
}

function take({ read = [], done: now = done, of = total }) {
  [done, total] = [now, of];
  for (const { text, line } of read) {
    if (found.at(-1)?.text !== text) found.push({ text, lines: [] });
    found.at(-1).lines.push({ line, isTicked: true });
  }
  skipped = done - found.length;
}

function ended() {
  const count = lines().length;
  if (!count) return words.learn_nothing;
  return [filled(words.learn_found, { count }), skipped && howMany("learn_skipped", skipped)].filter(Boolean).join(" ");
}

async function keep() {
  const ticked = (lines) => lines.filter(({ isTicked }) => isTicked).map(({ line }) => line);
  const facts = found.map(({ text, lines }) => ({ text, triples: ticked(lines) }));
  const told = await panel.send("keep", { facts: facts.filter(({ triples }) => triples.length) });
  if (!told) return;
  if (!told.why.length) reader.field().value = "";
  forget([filled(words.learn_kept, { count: told.kept }), ...told.why].join(" "));
  tell("memory");
}

function forget(sentence = "") {
  [found, skipped] = [[], 0];
  panel.say(sentence);
}

function result() {
  const isDisabled = !lines().some(({ isTicked }) => isTicked);
  const label = lines().every(({ isTicked }) => isTicked) ? words.learn_keep_all : words.learn_keep_some;
  const buttons = html`<div class="buttons">
    ${button("button small primary", label, keep, { isDisabled })}
    ${button("button small", words.learn_keep_none, () => forget())}
  </div>`;
  // A connected model reads sentences that the small one cannot.
  const offer = button("button small", words.start_connect, () => tell("connect", {}));
  return html`${skipped && !reader.isGoing() && mayConnect() ? html`<div class="buttons">${offer}</div>` : nothing}
    <ul class="rows">${found.map(sentence)}</ul>
    ${found.length && !reader.isGoing() ? buttons : nothing}`;
}

function sentence({ text, lines }) {
  return html`<li class="stack"><q dir="auto">${text}</q>${lines.map(lineLabel)}</li>`;
}

function lineLabel(one) {
  const tick = ({ target }) => {
    one.isTicked = target.checked;
    panel.draw();
  };
  return html`<label class="learn-triple">
    <input type="checkbox" .checked=${one.isTicked} @change=${tick} /> ${written(lineText(one.line.split(" | ")))}
  </label>`;
}

panel.draw();
