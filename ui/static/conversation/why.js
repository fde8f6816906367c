// "Why this answer": entries used, considered or excluded, and parts of the card (`CardPart` in `ui/server/services.py`).

import { html, nothing } from "../shared/lit.js";
import { button, formsIn, saying, written } from "../shared/panel.js";
import { ask, noted as page, tell as tellPage, words } from "../shared/server.js";
import { filled, localDate } from "../shared/text.js";
import * as builtIn from "../parts/parts.js";
import { showCard } from "./cards.js";
import { announce, say } from "./composer.js";
import { answerAgain, tell } from "./talk.js";

const LINES = ["facts", "lessons"]; // in the card itself; others are in "Why this answer"
const views = { ...builtIn };

/** Load the scripts of parts that are not built in; one that cannot be loaded shows an error. */
export async function loadParts() {
  const lost = { default: () => html`<p class="problem">${words.lost}</p>` };
  const load = async (name) => (views[name] = (await import(`../parts/${name}.js`).catch(() => lost)).default);
  await Promise.all(page.card_parts.filter((name) => !views[name]).map(load));
}

const isTold = ({ parts }, name) => (parts?.[name] ?? null) !== null;
// Parts that ask about the message are in the card itself, too.
const isLine = ({ parts }, name) => LINES.includes(name) || Boolean(parts?.[name]?.asks);

/** Return the names of the parts in "Why this answer" with data for an answer. */
export const reasons = (data) => page.card_parts.filter((name) => isTold(data, name) && !isLine(data, name));

/** Return the names of the parts in the card itself. */
export const lines = (data) => page.card_parts.filter((name) => isLine(data, name));

// Return the action of a part of a card, its local state, and the function that renders it.
function partOf(card, name) {
  const act = (acted) => {
    const items = [...card.root.querySelectorAll(`.part-${name} li`)];
    card.acted = { name, place: items.indexOf(document.activeElement.closest("li")) };
    answerAgain(card, "act", { part: name, told: acted });
  };
  return [act, (card.parts[name] ??= {}), () => showCard(card)];
}

/** Render a part. */
export function partView(card, name) {
  const { data, isOpen } = card.now;
  const [act, ...others] = partOf(card, name);
  const view = isTold(data, name) ? views[name](data.parts[name], isOpen ? act : null, ...others) : nothing;
  return html`<div class="part-${name} stack small underlined" ?hidden=${view === nothing}>${view}</div>`;
}

/** Summarise the entries that an answer used: the user's, lessons, or shared ones. */
export function usedWhat({ memory }) {
  const used = memory?.used ?? [];
  if (!used.length) return "";
  if (used.every((entry) => entry.shared)) return words.from_everyone;
  return used.every((entry) => entry.learnt) ? words.from_lessons : words.from_memory;
}

/** Render the section. */
export function whyView(card) {
  const { used = [], looked = [], kept_back: keptBack = [] } = card.now.data.memory ?? {};
  const parts = reasons(card.now.data);
  return [
    used.map((entry) => source(card, entry)),
    parts.filter((name) => name === "marks").map((name) => partView(card, name)),
    looked.map((entry) => notUsed(card, entry)),
    keptBack.map((entry) => keptBackLine(card, entry)),
    parts.filter((name) => name !== "marks").map((name) => partView(card, name)),
  ];
}

function source(card, entry) {
  const forms = formsIn((card.parts.entries ??= {}), () => showCard(card));
  const field = { label: words.edit_label, value: entry.text, isNeeded: true };
  const save = (text) => changeEntry(card, entry, text);
  const foot = () => {
    if (forms.isOpen(entry.id)) return forms.form(entry.id, [field], { save: words.save, look: "link" }, save);
    const mayEdit = !entry.shared && !entry.seeded && !entry.example;
    const edit = mayEdit ? forms.opener(entry.id, "chip", words.edit) : nothing;
    return sourceFoot(card, entry, [againButton(card, entry, words.leave_out, "exclude", "chip"), edit]);
  };
  return html`<div class="entry" data-id=${entry.id}>
    <p>${quote(entry)}</p>
    ${entry.without ? html`<p>${words.without_it} <em dir="auto">${entry.without}</em></p>` : nothing}
    ${entry.reason || entry.why ? html`<p class="entry-why">${written(entry.reason)}${whyNote(entry)}</p>` : nothing}
    ${card.now.isOpen ? foot() : nothing}
  </div>`;
}

const whyNote = ({ why }) => (why ? html`<em dir="auto"> · ${why}</em>` : nothing);

// A source that is a reason for the answer has what can be said of that, too.
function sourceFoot(card, entry, acts) {
  const premises = card.now.data.parts?.reasons?.reasons?.premises ?? [];
  const reason = premises.find(({ source }) => source === entry.id);
  if (!reason) return html`<p class="foot">${acts}</p>`;
  const [act, state, redraw] = partOf(card, "reasons");
  return builtIn.disputes(reason, act, state, redraw, acts);
}

async function changeEntry(card, { id }, text) {
  const { refused = "" } = await ask("memory", "edit", { entry: id, text }).catch(() => ({ refused: words.lost }));
  if (refused) return say(refused);
  tellPage("memory", "changed");
  if (card.now.isOpen) answerAgain(card, "retry");
}

// Render an entry: its words, author, time and question.
function quote(entry) {
  const isAsked = entry.question && entry.question !== entry.text;
  const about = isAsked && filled(words.about_question, { question: entry.question });
  const origin = [whoSaid(entry), localDate(entry.when), about].filter(Boolean).join(", ");
  return html`<q class="entry-text strong" dir="auto">${entry.learnt ? entry.text : saying(entry)}</q> – ${written(origin)}`;
}

function whoSaid(entry) {
  if (entry.seeded) return words.seed_said;
  if (entry.learnt) return words.why_learnt;
  if (entry.shared) return words.why_shared;
  return entry.example ? words.why_confirmed : words.why_you;
}

function notUsed(card, entry) {
  const reason = ["offered", "declined"].includes(entry.use) ? words.not_chosen : entry.reason;
  const again = card.now.isOpen && !entry.example ? againButton(card, entry, words.use_it, "use") : nothing;
  return html`<p class="looked" data-id=${entry.id}>
    <q dir="auto">${saying(entry)}</q> (${localDate(entry.when)}) – ${written(reason)}${whyNote(entry)} ${again}
  </p>`;
}

// Answer the question again with an entry, or without it.
function againButton(card, { id }, label, reaction, look = "link") {
  return button(look, label, () => answerAgain(card, "react", { reaction, entry: id }));
}

// Render an entry that was excluded from this answer, or is paused for such questions.
function keptBackLine(card, kept) {
  const react = (label, reaction) =>
    button("link", label, async () => {
      await tell("react", { turn: card.now.turn.id, reaction, entry: kept.id });
      const line = card.root.querySelector(`.kept-back[data-id="${kept.id}"]`);
      if (line) announce(line.textContent);
    });
  const left = () =>
    html`${againButton(card, kept, words.use_it, "use")} ${react(words.not_like_this, "except")} ${react(words.not_at_all, "pause")}`;
  const acts = !card.now.isOpen ? nothing : kept.far === "left" ? left() : react(words.resume, "resume");
  return html`<p class="kept-back" data-id=${kept.id}><q dir="auto">${kept.text}</q> ${words[`kept_back_${kept.far}`]} ${acts}</p>`;
}
