// Forms in a card: correct the understanding, or edit the last question, in its place. Enter sends them.

import { button, onEscape, saying, sendsOnEnter } from "../shared/panel.js";
import { html, nothing } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { tooLong, writtenIn } from "../shared/text.js";
import { showCard } from "./cards.js";
import { remember, say } from "./composer.js";
import { answerAgain, stop, talk, tell } from "./talk.js";

const MOST_READINGS = 3;

const field = (card) => card.root.querySelector(".meaning textarea");

// Open a form of a card with a text, and put the cursor at its end.
function begin(card, selector, text) {
  showCard(card);
  const written = card.root.querySelector(`${selector} textarea`);
  if (!written) return;
  written.value = text;
  written.focus({ preventScroll: true });
  written.setSelectionRange(text.length, text.length);
  written.form.scrollIntoView({ block: "nearest" });
}

// Render such a form, which Enter sends and Escape closes.
function textForm(className, { label, close, submit, changed = null }, more) {
  const pressed = (event) => {
    onEscape(close)(event);
    sendsOnEnter(event);
  };
  const sent = (event) => {
    event.preventDefault();
    submit(event.target.elements[0]);
  };
  return html`<form class=${className} @submit=${sent}>
    <textarea dir="auto" rows="1" enterkeyhint="send" aria-label=${label} @keydown=${pressed} @input=${({ target }) => changed?.(target.value)}></textarea>
    ${more}
  </form>`;
}

/** Open the correction field, with text typed there before. */
export function openMeaning(card) {
  if (!card.now.mayCorrect) return;
  if (card.isCorrecting) return field(card).focus();
  Object.assign(card, { isCorrecting: true, problem: "", sentence: card.now.understanding });
  begin(card, ".meaning", card.typed);
}

/** Render the correction form. */
export function meaningForm(card) {
  const close = () => closeMeaning(card);
  const changed = (text) => {
    rememberTyped(card, text);
    if (talk.run?.card === card) stop();
  };
  const more = html`<p class="notice small" role="alert" ?hidden=${!card.problem}>${card.problem}</p>
    <div class="foot"><button class="chip accent" type="submit">${words.save}<span aria-hidden="true"> ⏎</span></button>
      ${button("chip quiet", words.cancel, close)}${readings(card)}</div>`;
  const form = textForm(
    "meaning-form stack",
    { label: words.what_meant, close, submit: () => save(card), changed },
    more,
  );
  return html`<span class="hint" aria-hidden="true">${words.what_meant}</span>${form}`;
}

// Suggest other readings to click: from the model, and from notes that were close.
function readings(card) {
  const { memory, readings: told = [], question } = card.now.data;
  const keptBack = memory?.kept_back.map((kept) => kept.id);
  const script = writtenIn(question, "");
  const fits = ({ id, example, text }) => !example && !keptBack.includes(id) && writtenIn(text, "") === script;
  const near = memory?.looked.filter(fits) ?? [];
  if (!card.now.isOpen || !(told.length || near.length)) return nothing;
  const take = (text) => {
    field(card).value = text;
    save(card);
  };
  const use = ({ id }) => {
    closeMeaning(card);
    answerAgain(card, "react", { reaction: "use", entry: id });
  };
  const offered = [
    ...told.map((text) => [text, () => take(text)]),
    ...near.map((entry) => [saying(entry), () => use(entry)]),
  ];
  const chip = ([text, onClick]) => button("chip", text, onClick, { dir: "auto" });
  return html`<div class="row" role="group" aria-label=${words.readings}>
    <span class="hint">${words.readings}</span>${offered.slice(0, MOST_READINGS).map(chip)}
  </div>`;
}

// Save at once; answer again when no other answer is being generated.
function save(card) {
  const text = field(card).value.trim();
  if (!text || text === card.sentence) return refuseMeaning(card, words.say_more);
  const refused = tooLong(text, talk.longest.clarification);
  if (refused) return refuseMeaning(card, refused);
  const { turn } = card.now;
  closeMeaning(card);
  if (!talk.run) return answerAgain(card, "clarify", { text }, { meant: text });
  card.next = text;
  tell("note", { turn: turn.id, text }, (sentence) => refuseSaved(card, sentence));
  remember({ correction: { turn: turn.id, text, isSaved: true } });
  showCard(card);
}

/** Answer the first card again that was corrected during another run. Return true if there is one. */
export function answerSaved() {
  const card = talk.cards.find(({ next }) => next);
  if (!card) return false;
  const text = forgetSaved(card);
  answerAgain(card, "clarify", { text }, { meant: text });
  return true;
}

/** Remove and return the pending correction of a card. */
export function forgetSaved(card) {
  const { next } = card;
  card.next = "";
  remember({ correction: null });
  return next;
}

// Return a correction that could not be saved to its field.
function refuseSaved(card, sentence) {
  if (!card.next) return say(sentence);
  const text = forgetSaved(card);
  showCard(card);
  refuseMeaning(card, sentence, text);
}

/** Show why a correction was refused, and keep it in the field. */
export function refuseMeaning(card, sentence, text = card.typed) {
  rememberTyped(card, text);
  openMeaning(card);
  if (!card.isCorrecting) return say(sentence);
  card.problem = sentence;
  showCard(card);
  field(card).focus({ preventScroll: true });
}

function rememberTyped(card, text) {
  card.typed = text;
  remember({ correction: { turn: card.now.turn.id, text } });
}

function closeMeaning(card) {
  card.isCorrecting = false;
  remember({ correction: null });
  showCard(card);
  (card.root.querySelector('[data-act="correct"]') ?? card.root).focus({ preventScroll: true });
}

/** Open a form in place of the last question. */
export function openEditing(card, text = card.now.data.question) {
  card.isEditing = true;
  begin(card, ".editing", text);
}

/** Render that form. */
export function editingForm(card) {
  const close = () => {
    card.isEditing = false;
    showCard(card);
    card.root.querySelector(".edit-question")?.focus({ preventScroll: true });
  };
  const submit = (written) => {
    const question = written.value.trim();
    if (question === card.now.data.question) return close();
    if (!question) return written.focus();
    answerAgain(card, "edit_question", { question }, { question });
    if (!card.isEditing) card.root.focus({ preventScroll: true });
  };
  const more = html`<div class="foot">${button("link", words.cancel, close)}<button class="link accent" type="submit">${words.send}</button></div>`;
  return textForm("editing stack", { label: words.edit_question_label, close, submit }, more);
}
