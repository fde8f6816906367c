// What an answer rests on, in one line; what was looked at and not used, behind a small mark; and what is kept back.

import { html, nothing } from "../shared/lit.js";
import { button, lesson, saying, written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { filled, howMany, localTime } from "../shared/text.js";
import { announce } from "./composer.js";
import { answerAgain, tell } from "./talk.js";

/** Show the memory of an answer. */
export function memoryView(card, { used, kept_back: keptBack, looked }) {
  const label = howMany("looked_at", looked.length);
  return [
    used.length ? fold(card, "rests", restsOn(used), used) : nothing,
    keptBack.map((entry) => keptBackLine(card, entry)),
    looked.length ? fold(card, "looked", label, looked) : nothing,
  ];
}

function fold(card, name, summary, entries) {
  return html`<details class=${name}>
    <summary>${summary}</summary>${entries.map((entry) => entryBlock(card, entry))}
  </details>`;
}

function restsOn(used) {
  const own = used.every((entry) => entry.learnt) ? words.from_lessons : words.from_memory;
  const title = used.some((entry) => !entry.shared) ? own : words.from_everyone;
  const said = (entry) => [" · ", lesson({ ...entry, sentence: entry.sentence && inItsWords(entry) })];
  return html`<strong>${title}</strong>${used.map(said)}`;
}

// Of what a model learnt, whoever says so stands beside it.
function inItsWords(entry) {
  return entry.learnt ? entry.text : saying(entry);
}

function entryBlock(card, entry) {
  const mayChange = card.now.isOpen && !(entry.left && entry.example);
  const why = ["offered", "declined"].includes(entry.use) ? words.not_chosen : entry.reason;
  const after = entry.shared ? " " : ` · ${localTime(entry.when)}, `;
  return html`<blockquote class="entry">
    <p>${whoSaid(entry)} <q class="entry-text" dir="auto">${inItsWords(entry)}</q>${after}${words.given_for} <q class="entry-question" dir="auto">${entry.question}</q></p>
    ${entry.without ? html`<p>${words.without_it} <em class="entry-text" dir="auto">${entry.without}</em></p>` : nothing}
    <p class="entry-why">${written(why)}${entry.why ? html`<em class="model-why" dir="auto"> · ${entry.why}</em>` : nothing}</p>
    ${mayChange ? againButton(card, entry, ...(entry.left ? [words.use_it, "use"] : [words.leave_out, "exclude"])) : nothing}
  </blockquote>`;
}

// Has the question answered again with an entry, or without it.
function againButton(card, { id }, label, reaction) {
  return button("link", label, () => answerAgain(card, "react", { reaction, entry: id }));
}

function whoSaid(entry) {
  if (entry.seeded) return words.seed_said;
  if (entry.learnt) return words.lesson_learnt;
  if (entry.example) return !entry.shared ? words.you_confirmed : words.someone_confirmed;
  return entry.shared ? filled(words.someone_said, { when: localTime(entry.when) }) : words.you_said;
}

// What was left out of this answer, or is kept from being used where it would be.
function keptBackLine(card, kept) {
  const said = words[`kept_back_${kept.far}`];
  const react = (label, reaction) =>
    button("link", label, async () => {
      await tell("react", { turn: card.now.turn.id, reaction, entry: kept.id });
      const line = card.root.querySelector(`.kept-back[data-id="${kept.id}"]`);
      if (line) announce(line.textContent);
    });
  const left = () => [
    againButton(card, kept, words.use_it, "use"),
    " ",
    react(words.not_like_this, "except"),
    " ",
    react(words.not_at_all, "pause"),
  ];
  const acts = !card.now.isOpen ? nothing : kept.far === "left" ? left() : react(words.resume, "resume");
  return html`<p class="kept-back hint" data-id=${kept.id}><q dir="auto">${kept.text}</q> ${said} ${acts}</p>`;
}
