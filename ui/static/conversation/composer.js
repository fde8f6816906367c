// The composer: message field, Send and Stop, the note above, and the live region.
//
// Messages sent while an answer is being generated, or an action is pending, wait in sight and are sent one after
// another. If that answer is stopped or fails, they return to the field: the user may want to say something else.

import { button, written } from "../shared/panel.js";
import { html, nothing, render } from "../shared/lit.js";
import { store, stored, words } from "../shared/server.js";

const TYPED_AS = "noted-typed";
const DOUBLE_CLICK_MS = 500;

let form = null;
let announcer = null;
/** @type {{send: (text: string) => void, stop: () => void}} */
let acts = null;
let note = "";
let isBusy = false;
let isStopping = false;
let waiting = [];
let sentAt = -Infinity; // time of the last Send

const field = () => form.querySelector("textarea");

/** Return the text of the field. */
export const text = () => field()?.value ?? "";

/** Show the composer. `send` gets each message, `stop` stops the answer being generated. */
export function showComposer(into, aloud, { send, stop }) {
  [form, announcer, acts] = [into, aloud, { send, stop }];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sentAt = event.timeStamp;
    send(text());
    if (isBusy) focusField(); // the pressed button is gone
  });
  // What was not sent before a reload returns to the field.
  const { draft = "", waiting: unsent = [] } = typed();
  draw();
  write([...unsent, draft].filter(Boolean).join("\n"));
  remember({ draft: text(), waiting });
}

function draw() {
  render(view(), form);
}

function view() {
  const isEmpty = !text().trim();
  return html`${waiting.length ? html`<div class="waiting">${waiting.map(waitingMessage)}</div>` : nothing}
    <p class="composer-note notice small" role="alert" ?hidden=${!note}>${note}</p>
    <div class="composer-row spread">
      <textarea id="noted-message" rows="1" dir="auto" enterkeyhint="send" autocomplete="off"
        placeholder=${words.message_hint} aria-label=${words.message} @keydown=${pressed} @input=${changed}></textarea>
      <button class="button primary send" type="submit" aria-disabled=${String(isEmpty)} ?hidden=${isBusy}>${words.send}</button>
      <button class="button stop" type="button" ?hidden=${!isBusy} ?disabled=${isStopping} @click=${stop}>${words.stop}</button>
    </div>`;
}

function waitingMessage(message, place) {
  const takeBack = () => {
    setWaiting(waiting.toSpliced(place, 1));
    giveBack(message);
    goToField();
  };
  return html`<div class="spread waiting-message">
    <p class="clipped"><span class="hint">${words.waiting} </span>${written(message)}</p>
    ${button("link", words.waiting_cancel, takeBack)}
  </div>`;
}

/** Set the text of the field. */
export function write(value) {
  field().value = value;
  draw();
}

/** Return a refused message to the field, before text typed since. */
export function giveBack(value) {
  write([value, text()].filter(Boolean).join("\n"));
  remember({ question: "", draft: text() });
}

function changed() {
  remember({ draft: text() });
  if (!text()) note = "";
  draw();
}

function pressed(event) {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  acts.send(text());
}

function stop(event) {
  if (event.timeStamp - sentAt < DOUBLE_CLICK_MS) return; // the second click of a double click on Send, which Stop replaced
  acts.stop();
  goToField();
}

/** Show a note, for example why something was refused; an empty one clears it. */
export function say(sentence) {
  note = sentence;
  draw();
}

/** Return true if this note is shown. */
export const says = (sentence) => note === sentence;

/** Announce a text in the live region. */
export function announce(sentence) {
  announcer.textContent = sentence;
}

/** Show whether an answer is being generated, and whether it is being stopped. */
export function showBusy(busy, stopping = false) {
  [isBusy, isStopping] = [busy, stopping];
  draw();
}

/** Focus the field on any device. */
export function goToField() {
  field().focus({ preventScroll: true });
}

/** Focus the field, except on touch screens, where the keyboard would cover half of the page. */
export function focusField() {
  if (window.matchMedia("(hover: hover) and (pointer: fine)").matches) goToField();
}

function setWaiting(messages) {
  waiting = messages;
  remember({ waiting });
  draw();
}

/** Add a message to the queue. */
export function letWait(message) {
  if (text() === message) field().value = "";
  setWaiting([...waiting, message]);
  announce(words.waiting);
  changed();
}

/** Return all queued messages to the field. */
export function takeAllBack() {
  if (waiting.length) giveBack(waiting.join("\n"));
  setWaiting([]);
}

/** Remove and return the first queued message. */
export function nextWaiting() {
  const [next, ...others] = waiting;
  if (next !== undefined) setWaiting(others);
  return next;
}

// Unsent text, kept in sessionStorage per tab so that a reload does not lose it: `draft` in the message field,
// `question` being sent, `waiting` messages, `correction` (`turn`, `text`) in an open form.

/** Return the unsent text. */
export const typed = () => JSON.parse(stored(TYPED_AS, "sessionStorage")) ?? {};

/** Store changes of the unsent text. */
export function remember(changes) {
  store(TYPED_AS, JSON.stringify({ ...typed(), ...changes }), "sessionStorage");
}
