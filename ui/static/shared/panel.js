// Shared by panels: send events and show their result or refusal; small templates; browser helpers. Text of people and
// models is only ever shown as text.

import { html, nothing, ref, render } from "./lit.js";
import { ask, language, noted, speak, words } from "./server.js";
import { filled, fullStop, localDay, localPercent } from "./text.js";

const LARGEST_FILE = 190_000; // bytes; in base64 the limit of a request

/**
 * A panel: the element of its name, and the events of its handlers.
 *
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {any} props constants from the server
 * @property {string} problem reason of a refusal, in one sentence
 * @property {boolean} isAwaited true while a response is pending
 * @property {(selector: string) => any} find finds an element in it
 * @property {() => void} draw renders it
 * @property {(event: string, data?: object) => Promise<any>} ask sends an event and returns the response
 * @property {(event: string, data?: object) => Promise<any>} send sends an event and shows the result; null if refused
 * @property {(sentence: string) => void} refuse shows why something was refused, and keeps typed text
 */

/**
 * Create a panel.
 *
 * @param {string} name its name, and that of its element
 * @param {object} how
 * @param {() => any} how.view returns its template
 * @param {(told: any, sent: any) => void} how.receive gets each response, unless refused, and the data sent
 * @param {() => object} [how.besides] returns data to send with each event
 * @param {() => void} [how.refused] called after a refusal
 * @returns {Panel}
 */
export function createPanel(name, { view, receive, besides = () => ({}), refused = () => {} }) {
  const element = document.getElementById(name);
  let asked = 0;
  let done = 0;
  const find = (selector) => element.querySelector(selector);
  const props = noted.panels[name];
  const panel = { element, props, problem: "", isAwaited: false, find, draw, ask: askPanel, send, refuse };

  function draw() {
    render(view(), element);
  }

  function askPanel(event, data = {}) {
    return ask(name, event, { ...besides(), ...data }).catch(() => ({ refused: words.lost }));
  }

  // Discard a response that is older than the last one shown.
  async function send(event, data = {}) {
    const number = ++asked;
    const sent = { ...besides(), ...data };
    panel.isAwaited = true;
    const told = await askPanel(event, sent);
    if (number === asked || told.refused) panel.isAwaited = false;
    if (told.refused) {
      refuse(told.refused);
      return null;
    }
    if (number === asked) panel.problem = "";
    if (told.done) done = number;
    if (number >= done) receive(told, sent);
    draw();
    return told;
  }

  function refuse(sentence) {
    panel.problem = sentence;
    if (sentence) refused();
    draw();
    if (sentence) find(".problem:not([hidden])")?.scrollIntoView({ block: "nearest" });
  }

  return panel;
}

/** Render the reason of a refusal. */
export function problemLine(panel) {
  return html`<p class="problem" role="alert" ?hidden=${!panel.problem}>${panel.problem || nothing}</p>`;
}

/**
 * Render a button. Its accessible name is `name`, or the label with what it is `about`; `act` is a name for scripts. One
 * that is off keeps the focus.
 *
 * @param {string} className
 * @param {any} label
 * @param {any} onClick
 * @param {{name?: string, about?: string, act?: string, dir?: string, isOff?: boolean, isDisabled?: boolean,
 *   isHidden?: boolean, isFocused?: boolean, isExpanded?: boolean, isPressed?: boolean}} [options]
 */
export function button(className, label, onClick, options = {}) {
  const { name, about, act, dir, isOff = false, isDisabled = false, isHidden = false, isFocused = false } = options;
  return html`<button class=${className} type="button" dir=${dir ?? nothing} data-act=${act ?? nothing}
    aria-label=${name ?? (about ? `${label}: ${about}` : nothing)}
    aria-expanded=${options.isExpanded ?? nothing} aria-pressed=${options.isPressed ?? nothing}
    aria-disabled=${isOff || nothing} ?disabled=${isDisabled} ?hidden=${isHidden}
    @click=${isOff ? nothing : onClick} ${ref(isFocused ? focused : undefined)}>${label}</button>`;
}

/** Render text of a person or a model, with its own direction. */
export function written(text, className = "") {
  return html`<span class=${className || nothing} dir="auto">${text}</span>`;
}

/** Focus an element when it is first rendered, with its form in view: `ref(focused)`. */
export function focused(element) {
  if (!isNew(element)) return;
  queueMicrotask(() => {
    if (element.type === "textarea") growToFit(element);
    if (element.type === "text") element.select();
    element.form?.scrollIntoView({ block: "nearest" });
    element.focus({ preventScroll: true });
  });
}

const met = new WeakSet();

// lit calls a `ref` shared by several elements at every render.
function isNew(element) {
  if (!element || met.has(element)) return false;
  met.add(element);
  return true;
}

/** Call `close` on Escape anywhere in an element. */
export function onEscape(close) {
  return (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
}

/** Close a dialog by a press that begins and ends on its backdrop. */
export function closeOutside(dialog) {
  let isBegunOutside = false;
  const isOutside = ({ target, clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    return target === dialog && !(left <= x && x <= right && top <= y && y <= bottom);
  };
  dialog.addEventListener("pointerdown", (event) => (isBegunOutside = isOutside(event)));
  dialog.addEventListener("click", (event) => isBegunOutside && isOutside(event) && dialog.close());
}

let confirmations = 0;

/**
 * Ask for confirmation of an action that cannot be undone or reaches other people. Cancel has the focus, and Escape
 * cancels. `isDisabled`: the action is in progress.
 */
export function confirmation({ question, label, keep, look, name = "", isDisabled = false }, go, back) {
  const id = `asked-${++confirmations}`;
  const named = (text) => (name ? `${text}: ${name}` : nothing);
  const begin = (event) => {
    event.target.disabled = true;
    go();
  };
  return html`<span class="row asking" @keydown=${onEscape(back)}>
    <span class="entry-sure small" id=${id} role="status">${question}</span>
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

/** Render a button to choose a file, which `take` gets. */
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

/** Send a whole file with an event of a panel. */
export async function sendFile(panel, file, event) {
  if (file.size > LARGEST_FILE) {
    return panel.refuse(filled(words.file_too_large, { size: LARGEST_FILE / 1000 }));
  }
  const bytes = await readBytes(file).catch(() => null);
  if (bytes === null) panel.refuse(words.bring_in_unreadable);
  else panel.send(event, { bytes });
}

/** Ask whether the first line of a table is a header, before anything is stored; render nothing without a question. */
export function headerQuestion(panel, question, answer) {
  const id = `${panel.element.id}-header`;
  if (!question) return nothing;
  return html`<div class="buttons" role="group" aria-labelledby=${id}><span id=${id} dir="auto">${question}</span>
    ${button("button small", words.header_yes, () => answer(true), { isFocused: true })}
    ${button("button small", words.header_no, () => answer(false))}
  </div>`;
}

/** Return an entry as one text for screen readers: its sentence, else its words. */
export function saying({ sentence, text }) {
  return sentence || text;
}

/** Render another statement about the same question, with its day and whether it is active. */
export function saidOtherwise({ text, when, counts }) {
  const day = localDay(when);
  const said = counts ? words.counts_too : words.counted_before;
  const [before, after = ""] = filled(said, { when: day ? ` (${day})` : "" }).split("{text}");
  return [before, html`<q dir="auto">${text}</q>`, after];
}

/** Render an entry as a sentence: a meaning ("When you ask …, you mean …"), a fact, or a lesson. */
export function lesson({ title, lesson: way, meaning, example, sentence, learnt, text }) {
  const whole = learnt ? text : sentence;
  const said = { way, meaning, title, whole };
  const template = whole ? "{whole}" : example ? words.lesson_example : title ? "{title}: {meaning}" : words.lesson;
  const pieces = template.split(/\{(\w+)\}/).map((piece) => (piece in said ? written(said[piece]) : piece));
  return html`<span class="lesson">${pieces}${whole ? fullStop(whole, "en") : fullStop(meaning, language)}</span>`;
}

/** Render the scores of a draft as bars. */
export function scoreBars(scores) {
  if (!scores.length) return nothing;
  const bar = ({ by, score }) => html`<li class="bar-row">
    <span class="hint">${words[by]}</span>
    <span class="bar" role="img" aria-label=${localPercent(score)}><span .style=${`width: ${100 * score}%`}></span></span>
  </li>`;
  return html`<ul class="scores">${scores.map(bar)}</ul>`;
}

/** Grow a field with its text. */
export function growToFit(field) {
  // Measuring a very long text takes seconds, and it fills the field anyway.
  const isLong = field.value.length > 5000;
  field.style.height = isLong ? "40dvh" : "auto";
  if (!isLong) field.style.height = `${field.scrollHeight + 2}px`;
}

/** Return the scroll behaviour; none for users who prefer reduced motion. */
export function calmly() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}

/** Copy a text and confirm it on the button; by a field if the browser refuses, for example in a frame. */
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.className = "visually-hidden";
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus({ preventScroll: true });
  }
  button.textContent = words.copied;
}

const WALK_MS = 500;

/**
 * Return listeners for a list with a `value`, to choose the option where arrow keys rest or leave the list. The list shows
 * the current value until `choose` has changed it.
 */
export function onChosen(value, choose) {
  const settle = ({ target: list }) => {
    const chosen = list.value;
    list.value = value;
    if (chosen !== value) choose(chosen);
  };
  return { changed: debounced(settle, WALK_MS), left: settle };
}

/** Return a function that calls `act` once it was not called for some time. */
export function debounced(act, ms) {
  let timer = 0;
  return (...told) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms, ...told);
  };
}

/** Render a field to search in a list. */
export function searchField(className, label, search) {
  return html`<input class=${className} type="search" dir="auto" autocomplete="off" maxlength="500"
    placeholder=${label} aria-label=${label} @input=${search} />`;
}

/** Render the list of languages, each by its own name. */
export function languageList() {
  const { changed, left } = onChosen(language, speak);
  const option = ([code, name]) =>
    html`<option value=${code} lang=${code} ?selected=${code === language}>${name}</option>`;
  return html`<select class="head-language" aria-label=${words.language} @change=${changed} @blur=${left}>${Object.entries(noted.languages).map(option)}</select>`;
}

// Return the bytes of a file or blob in base64. Rejects if it cannot be read.
async function readBytes(file) {
  const reader = new FileReader();
  const read = new Promise((resolve, reject) => Object.assign(reader, { onload: resolve, onerror: reject }));
  reader.readAsDataURL(file);
  await read;
  return String(reader.result).split(",")[1] ?? ""; // the part after "data:…;base64,"
}

/** Download a text as a file with today's date. */
export function saveFile(content, name, ending, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
