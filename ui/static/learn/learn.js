// Read a text a few sentences at a time; its facts can be selected and saved. Stop ends the reading.

import { html, nothing } from "../shared/lit.js";
import { button, written } from "../shared/panel.js";
import { createReader } from "../shared/reader.js";
import { tell, words } from "../shared/server.js";
import { called, counted } from "../shared/text.js";

const reader = createReader("learn", {
  word: (key) => words[`learn_${key}`],
  accepted: ".txt,.md,text/plain",
  label: () => words.learn_read,
  begin,
  next: () => (waiting.length ? ["read", { sentences: waiting.slice(0, reader.panel.props.at_once) }] : null),
  take,
  progress: () => ({ said: counted(words.learn_progress, { done: total - waiting.length, of: total }) }),
  ended,
  result,
});
let waiting = []; // unread sentences
let total = 0;
let found = []; // sentences with facts, each with its triples

async function begin(text) {
  const told = await reader.ask("part", { text });
  if (!told) return;
  [waiting, total, found] = [told.parted, told.parted.length, []];
  reader.run();
}

function take({ read }) {
  waiting = waiting.slice(read.length);
  for (const { text, triples } of read) {
    if (triples.length) found.push({ text, triples: triples.map((triple) => ({ ...triple, isTicked: true })) });
  }
}

function ended() {
  const count = found.flatMap(({ triples }) => triples).length;
  return count ? counted(words.learn_found, { count }) : words.learn_nothing;
}

async function keep(isWanted) {
  const line = ({ subject, relation, object }) => [subject, relation, object].join(" | ");
  const facts = found
    .map(({ text, triples }) => ({ text, triples: triples.filter(isWanted).map(line) }))
    .filter(({ triples }) => triples.length);
  const told = facts.length ? await reader.ask("keep", { facts }) : null;
  if (!told) return;
  if (!told.why.length) reader.field().value = "";
  forget([counted(words.learn_kept, { count: told.kept }), ...told.why].join(" "));
  tell("memory");
}

function forget(sentence = "") {
  found = [];
  reader.say(sentence);
}

function result() {
  const buttons = html`<div class="buttons">
    ${button("button small primary", words.learn_keep_all, () => keep(() => true))}
    ${button("button small", words.learn_keep_some, () => keep(({ isTicked }) => isTicked))}
    ${button("button small", words.learn_keep_none, () => forget())}
  </div>`;
  return html`<ul class="rows">${found.map(sentence)}</ul>
    ${found.length && !reader.isGoing() ? buttons : nothing}`;
}

function sentence({ text, triples }) {
  return html`<li class="learn-sentence"><q dir="auto">${text}</q>${triples.map(tripleLabel)}</li>`;
}

function tripleLabel(triple) {
  const { subject, relation, object, isTicked } = triple;
  const tick = ({ target }) => (triple.isTicked = target.checked);
  return html`<label class="learn-triple">
    <input type="checkbox" .checked=${isTicked} @change=${tick} />
    ${written([called(subject), relation, called(object)].join(" · "))}
  </label>`;
}

reader.panel.draw();
