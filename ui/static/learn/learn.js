// Read a text sentence by sentence; its facts can be selected and saved. Stop ends the reading.

import { html, nothing } from "../shared/lit.js";
import { button, written } from "../shared/panel.js";
import { createReader } from "../shared/reader.js";
import { noted, tell, words } from "../shared/server.js";
import { called, filled, howMany } from "../shared/text.js";

const reader = createReader("learn", {
  word: (key) => words[`learn_${key}`],
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
let total = 1; // sentences, unknown before the first view
let done = 0;
let found = []; // sentences with facts, each with its triples
let skipped = 0; // sentences without, at the end

function begin() {
  [total, done, found, skipped] = [1, 0, [], 0];
  reader.run();
}

function take({ read = [], done: now = done, of = total }) {
  [done, total] = [now, of];
  for (const { text, line } of read) {
    const [subject, relation, object] = line.split(" | ");
    if (found.at(-1)?.text !== text) found.push({ text, triples: [] });
    found.at(-1).triples.push({ subject, relation, object, isTicked: true });
  }
  skipped = done - found.length;
}

function ended() {
  const count = found.flatMap(({ triples }) => triples).length;
  if (!count) return words.learn_nothing;
  return [filled(words.learn_found, { count }), skipped && howMany("learn_skipped", skipped)].filter(Boolean).join(" ");
}

async function keep() {
  const line = ({ subject, relation, object }) => [subject, relation, object].join(" | ");
  const facts = found
    .map(({ text, triples }) => ({ text, triples: triples.filter(({ isTicked }) => isTicked).map(line) }))
    .filter(({ triples }) => triples.length);
  const told = facts.length ? await reader.panel.send("keep", { facts }) : null;
  if (!told) return;
  if (!told.why.length) reader.field().value = "";
  forget([filled(words.learn_kept, { count: told.kept }), ...told.why].join(" "));
  tell("memory");
}

function forget(sentence = "") {
  [found, skipped] = [[], 0];
  reader.say(sentence);
}

function result() {
  const triples = found.flatMap((one) => one.triples);
  const label = triples.every(({ isTicked }) => isTicked) ? words.learn_keep_all : words.learn_keep_some;
  const isDisabled = !triples.some(({ isTicked }) => isTicked);
  const buttons = html`<div class="buttons">
    ${button("button small primary", label, keep, { isDisabled })}
    ${button("button small", words.learn_keep_none, () => forget())}
  </div>`;
  return html`${skipped && !reader.isGoing() ? connectOffer() : nothing}
    <ul class="rows">${found.map(sentence)}</ul>
    ${found.length && !reader.isGoing() ? buttons : nothing}`;
}

// A connected model reads sentences that the small one cannot.
function connectOffer() {
  const { isSmall = false, mayConnect = false } = noted.models ?? {};
  if (!isSmall || !mayConnect) return nothing;
  return html`<div class="buttons">${button("button small", words.start_connect, () => tell("connect", {}))}</div>`;
}

function sentence({ text, triples }) {
  return html`<li class="stack"><q dir="auto">${text}</q>${triples.map(tripleLabel)}</li>`;
}

function tripleLabel(triple) {
  const { subject, relation, object, isTicked } = triple;
  const tick = ({ target }) => {
    triple.isTicked = target.checked;
    reader.panel.draw();
  };
  return html`<label class="learn-triple">
    <input type="checkbox" .checked=${isTicked} @change=${tick} />
    ${written([called(subject), relation, called(object)].join(" · "))}
  </label>`;
}

reader.panel.draw();
