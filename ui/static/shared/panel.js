// What panels share: how each asks the server for something and shows what comes of it, or why nothing did; small parts that
// several of them show; and what they do with the browser. What people and models wrote is only ever shown as text.

import { html, nothing, ref, render } from "./lit.js";
import { ask, language, noted, speak, words } from "./server.js";
import { filled, fullStop, localDay, localPercent } from "./text.js";

/**
 * A panel: the element of its name, and what its handlers answer.
 *
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {any} props what the server told of it for good
 * @property {string} problem why nothing was done, in one sentence
 * @property {boolean} isAwaited whether something is being asked on the server
 * @property {(selector: string) => any} find finds an element in it
 * @property {() => void} draw shows everything anew
 * @property {(event: string, data?: object) => Promise<any>} ask returns what answers an event
 * @property {(event: string, data?: object) => Promise<any>} send asks for something; the answer, null where refused
 * @property {(sentence: string) => void} refuse says why something is not done; all that was typed stays
 */

/**
 * Make a panel.
 *
 * @param {string} name its name, and that of its element
 * @param {object} how
 * @param {() => any} how.view what it shows, as a template
 * @param {(told: any, sent: any) => void} how.receive takes what the server answers to what was sent, where it did not
 *   refuse
 * @param {() => object} [how.besides] what is sent with each event
 * @param {() => void} [how.refused] what happens where nothing is done
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

  // An answer to what was asked before that which was done last is older, and is left out.
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
  }

  return panel;
}

/** Why nothing was done, where something was refused. */
export function problemLine(panel) {
  return html`<p class="problem" role="alert" ?hidden=${!panel.problem}>${panel.problem || nothing}</p>`;
}

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

/** What is stored, as a whole sentence: when you ask this, you mean that; what a user told; or what a model learnt. */
export function lesson({ title, lesson: way, meaning, example, sentence, learnt, text }) {
  const whole = learnt ? text : sentence;
  const said = { way, meaning, title, whole };
  const template = whole ? "{whole}" : example ? words.lesson_example : title ? "{title}: {meaning}" : words.lesson;
  const pieces = template.split(/\{(\w+)\}/).map((piece) => (piece in said ? written(said[piece]) : piece));
  return html`<span class="lesson">${pieces}${whole ? fullStop(whole, "en") : fullStop(meaning, language)}</span>`;
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

/** Make a field as high as what is written in it. */
export function growToFit(field) {
  // To measure a very long text takes seconds; it fills the field anyway.
  const isLong = field.value.length > 5000;
  field.style.height = isLong ? "40dvh" : "auto";
  if (!isLong) field.style.height = `${field.scrollHeight + 2}px`;
}

/** How to scroll, for somebody who may want nothing to move. */
export function calmly() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}

/** Copy a text, and say so on the button; by way of a field where the browser refuses, as in a frame of another site. */
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

const WALK_MS = 700;
const walks = new WeakMap(); // lists through which arrow keys walk, each with the timer of where they rest

/**
 * Return what listens to a list of which `value` is chosen: something is chosen at once, but of what arrow keys walk
 * through, what they rest on or leave it at. Until `choose` has done it, the list shows what stands.
 */
export function onChosen(value, choose) {
  const settle = (list) => {
    clearTimeout(walks.get(list));
    const chosen = list.value;
    list.value = value;
    if (chosen !== value) choose(chosen);
  };
  return {
    pointed: ({ target }) => walks.delete(target),
    walked: ({ target }) => walks.has(target) || walks.set(target, 0),
    changed: ({ target }) => {
      clearTimeout(walks.get(target));
      if (walks.has(target)) walks.set(target, setTimeout(settle, WALK_MS, target));
      else settle(target);
    },
    left: ({ target }) => settle(target),
  };
}

/** A list of the languages of the page, each by its own name, of which one can be chosen. */
export function languageList() {
  const { pointed, walked, changed, left } = onChosen(language, speak);
  const option = ([code, name]) =>
    html`<option value=${code} lang=${code} ?selected=${code === language}>${name}</option>`;
  return html`<select class="head-language" aria-label=${words.language} @pointerdown=${pointed} @keydown=${walked} @change=${changed}
    @blur=${left}>${Object.entries(noted.languages).map(option)}</select>`;
}

/** Return the bytes of a file, or of a part of one, in base64. Rejects where it cannot be read. */
export async function readBytes(file) {
  const reader = new FileReader();
  const read = new Promise((resolve, reject) => Object.assign(reader, { onload: resolve, onerror: reject }));
  reader.readAsDataURL(file);
  await read;
  return String(reader.result).split(",")[1] ?? ""; // of "data:…;base64," and the bytes
}

/** Save a text as a file of today. */
export function saveFile(content, name, ending, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
