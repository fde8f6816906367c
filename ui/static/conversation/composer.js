// The field to write in, with Send and Stop, what stands above it, and what is only read aloud.
//
// Messages sent while an answer is being written, or before it is known that something was done, wait in sight, and go by
// themselves, one after the other. Where that answer is stopped or fails, they go back to the field: the user may want to
// say something else now.

import { button, growToFit, written } from "../shared/panel.js";
import { html, nothing, render } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { filled, localNumber } from "../shared/text.js";

const TYPED_AS = "noted-typed";
const MOST_WAITING = 2; // in sight; more are folded
const DOUBLE_CLICK_MS = 500;

let form = null;
let announcer = null;
/** @type {{send: (text: string) => void, stop: () => void}} */
let acts = null;
let note = "";
let isBusy = false;
let isStopping = false;
let waiting = [];
let sentAt = -Infinity; // when Send was pressed last

/** Show the composer. `send` gets each message, `stop` ends the answer being written. */
export function showComposer(into, aloud, { send, stop }) {
  [form, announcer, acts] = [into, aloud, { send, stop }];
  form.addEventListener("submit", submit);
  draw();
}

function draw() {
  render(view(), form);
}

function view() {
  return html`<div class="waiting">${waitingView()}</div>
    <p class="composer-note" role="alert" ?hidden=${!note}>${note}</p>
    <div class="composer-row">
      <textarea id="noted-message" class="composer-field" rows="1" dir="auto" enterkeyhint="send" autocomplete="off"
        placeholder=${words.message_hint} aria-label=${words.message} @keydown=${pressed} @input=${changed}></textarea>
      <button class="button primary send" type="submit" aria-disabled=${String(!text().trim())} ?hidden=${isBusy}>${words.send}</button>
      <button class="button stop" type="button" ?hidden=${!isBusy} ?disabled=${isStopping} @click=${stop}>${words.stop}</button>
    </div>`;
}

function waitingView() {
  const message = (text, place) => html`<div class="waiting-message">
    <p class="waiting-text"><span class="hint">${words.waiting} </span>${written(text)}</p>
    ${button("link", words.waiting_cancel, () => takeBack(place))}
  </div>`;
  const items = waiting.map(message);
  if (items.length <= MOST_WAITING) return items.length ? items : nothing;
  const count = localNumber(items.length - MOST_WAITING);
  return html`${items.slice(0, MOST_WAITING)}<details class="waiting-more">
    <summary class="hint">${filled(words.waiting_more, { count })}</summary>${items.slice(MOST_WAITING)}
  </details>`;
}

const field = () => form.querySelector("textarea");

/** Return what is written in the field. */
export const text = () => field()?.value ?? "";

/** Write something into the field. */
export function write(value) {
  field().value = value;
  changedTo();
}

/** Put what the server did not take back into the field, before what was written there since. */
export function giveBack(value) {
  write([value, text()].filter(Boolean).join("\n"));
  remember({ question: "", draft: text() });
}

function changed() {
  remember({ draft: text() });
  if (!text()) note = "";
  changedTo();
}

function changedTo() {
  growToFit(field());
  draw();
}

function submit(event) {
  event.preventDefault();
  sentAt = event.timeStamp;
  acts.send(text());
  if (isBusy) focusField(); // the button that was pressed is gone
}

function pressed(event) {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  acts.send(text());
}

function stop(event) {
  if (event.timeStamp - sentAt < DOUBLE_CLICK_MS) return; // the second click on Send, in whose place it came
  acts.stop();
  field().focus({ preventScroll: true });
}

/** Say why something was not done; the empty sentence says nothing more of what was done before. */
export function say(sentence) {
  note = sentence;
  draw();
}

/** Return true if this is what is said now. */
export const says = (sentence) => note === sentence;

/** Have something read aloud. */
export function announce(sentence) {
  announcer.textContent = sentence;
}

/** Show whether an answer is being written, and whether it is being stopped. */
export function showBusy(busy, stopping = false) {
  [isBusy, isStopping] = [busy, stopping];
  draw();
}

/** Give the field the focus; not on a touch screen, where the keyboard would cover half of the page. */
export function focusField() {
  if (window.matchMedia("(hover: hover) and (pointer: fine)").matches) field().focus({ preventScroll: true });
}

/** Give the field the focus wherever it is. */
export function goToField() {
  field().focus();
}

/** Let a message wait. */
export function letWait(message) {
  waiting = [...waiting, message];
  remember({ waiting });
  announce(words.waiting);
  if (text() === message) field().value = "";
  changed();
}

function takeBack(place) {
  giveBack(waiting[place]);
  waiting = waiting.filter((_message, other) => other !== place);
  remember({ waiting });
  draw();
  field().focus({ preventScroll: true });
}

/** Put all messages that wait back into the field. */
export function takeAllBack() {
  if (!waiting.length) return;
  const messages = waiting.join("\n");
  waiting = [];
  remember({ waiting });
  giveBack(messages);
}

/** Return the message that waits first, which then waits no more. */
export function nextWaiting() {
  const [next, ...others] = waiting;
  if (next === undefined) return undefined;
  waiting = others;
  remember({ waiting });
  draw();
  return next;
}

// What the user has typed and the server has not taken yet, so that loading the page again does not lose it: `draft` in the
// message field, `question` on its way, `waiting` messages, `correction` (`turn`, `text`) in an open form. Each tab its own.

/** Return what was typed. */
export function typed() {
  try {
    return JSON.parse(sessionStorage.getItem(TYPED_AS)) ?? {};
  } catch {
    return {};
  }
}

/** Remember changes of it. */
export function remember(changes) {
  try {
    sessionStorage.setItem(TYPED_AS, JSON.stringify({ ...typed(), ...changes }));
  } catch {
    // The browser stores nothing, or not as much: then the text is only on the page.
  }
}
