// Small parts of the page that several panels show. What people and models wrote is only ever shown as text.

import { html, nothing, ref } from "./lit.js";
import { words } from "./server.js";
import { filled, localDay, localPercent } from "./text.js";

/** A button. `more`: its accessible name where its label does not say enough, and whether it is disabled. */
export function button(className, label, onClick, { name = "", isDisabled = false } = {}) {
  return html`<button
    class=${className}
    type="button"
    aria-label=${name || nothing}
    ?disabled=${isDisabled}
    @click=${onClick}
  >${label}</button>`;
}

/** A text of a person or a model, which brings its own direction. */
export function written(text, className = "") {
  return html`<span class=${className || nothing} dir="auto">${text}</span>`;
}

/** Give an element the focus when it comes to the page: `ref(focused)`. */
export function focused(element) {
  if (isNew(element)) queueMicrotask(() => element.focus({ preventScroll: true }));
}

const met = new WeakSet();

// Of several elements with the same `ref`, lit calls it for each whenever they are drawn.
function isNew(element) {
  if (!element || met.has(element)) return false;
  met.add(element);
  return true;
}

/** Call `close` for Escape, wherever in an element it is pressed. */
export function onEscape(close) {
  return (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
}

let confirmations = 0;

/**
 * Ask before something is done that cannot be taken back, or that reaches other people. The way back has the focus, and
 * Escape takes it. `isDisabled`: it is being done.
 */
export function confirmation({ question, label, keep, look, name = "", isDisabled = false }, go, back) {
  const id = `asked-${++confirmations}`;
  const named = (text) => (name ? `${text}: ${name}` : nothing);
  const begin = (event) => {
    event.target.disabled = true;
    go();
  };
  return html`<span class="buttons asking" @keydown=${onEscape(back)}>
    <span class="entry-sure" id=${id} role="status">${question}</span>
    <button class="button small ${look}" type="button" aria-describedby=${id} aria-label=${named(label)} ?disabled=${isDisabled} @click=${begin}>${label}</button>
    <button class="button small" type="button" aria-describedby=${id} aria-label=${named(keep)} @click=${back} ${ref(wayBack)}>${keep}</button>
  </span>`;
}

function wayBack(element) {
  if (!isNew(element)) return;
  queueMicrotask(() => {
    element.parentElement?.scrollIntoView({ block: "nearest" });
    element.focus();
  });
}

/** A button to choose a file by, which `take` gets. */
export function fileButton(label, accept, take) {
  const chosen = ({ target }) => {
    const [file] = target.files;
    target.value = "";
    if (file) take(file);
  };
  const choose = ({ target }) => target.nextElementSibling.click();
  return html`${button("button small", label, choose)}<input
    class="visually-hidden"
    type="file"
    accept=${accept}
    tabindex="-1"
    aria-hidden="true"
    @change=${chosen}
  />`;
}

/** What is stored, in one piece, for those who hear it: a sentence as it stands, else the words. */
export function saying({ sentence, text }) {
  return sentence || text;
}

/** What was said otherwise of the same, when, and whether it still counts. */
export function saidOtherwise({ text, when, counts }) {
  const day = localDay(when);
  const said = counts ? words.counts_too : words.counted_before;
  const [before, after = ""] = filled(said, { when: day ? ` (${day})` : "" }).split("{text}");
  return [before, html`<q dir="auto">${text}</q>`, after];
}

/** What is stored as a sentence: when you write this, you mean that; or what a model says that it counts for. */
export function lesson({ title, lesson: way, meaning, example, sentence: whole }) {
  const said = { way, meaning, title, whole };
  const template = whole ? "{whole}" : example ? words.lesson_example : title ? "{title}: {meaning}" : words.lesson;
  const pieces = template.split(/\{(\w+)\}/).map((piece) => (piece in said ? written(said[piece]) : piece));
  return html`<span class="lesson">${pieces}</span>`;
}

/** What each scorer says of something, with a small bar for each. */
export function scoreBars(scores) {
  if (!scores.length) return nothing;
  const bar = ({ by, score }) => html`<li class="score">
    <span class="hint">${words[by]}</span>
    <span class="score-room" role="img" aria-label=${localPercent(score)}><span class="score-full" .style=${`width: ${100 * score}%`}></span></span>
  </li>`;
  return html`<ul class="scores">${scores.map(bar)}</ul>`;
}
