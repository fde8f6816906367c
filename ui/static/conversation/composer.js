// The composer: message field, Send and Stop, the note above, and the live region.
//
// Messages sent while an answer is being generated, or an action is pending, wait in sight and are sent one after
// another. If that answer is stopped or fails, they return to the field: the user may want to say something else.

import { button, growToFit, written } from "../shared/panel.js";
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

/** Show the composer. `send` gets each message, `stop` stops the answer being generated. */
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
    <p class="composer-note notice small" role="alert" ?hidden=${!note}>${note}</p>
    <div class="composer-row">
      <textarea id="noted-message" rows="1" dir="auto" enterkeyhint="send" autocomplete="off"
        placeholder=${words.message_hint} aria-label=${words.message} @keydown=${pressed} @input=${changed}></textarea>
      <button class="button primary send" type="submit" aria-disabled=${String(!text().trim())} ?hidden=${isBusy}>${words.send}</button>
      <button class="button stop" type="button" ?hidden=${!isBusy} ?disabled=${isStopping} @click=${stop}>${words.stop}</button>
    </div>`;
}

function waitingView() {
  const message = (text, place) => html`<div class="spread waiting-message">
    <p class="clipped"><span class="hint">${words.waiting} </span>${written(text)}</p>
    ${button("link", words.waiting_cancel, () => takeBack(place))}
  </div>`;
  return waiting.length ? waiting.map(message) : nothing;
}

const field = () => form.querySelector("textarea");

/** Return the text of the field. */
export const text = () => field()?.value ?? "";

/** Set the text of the field. */
export function write(value) {
  field().value = value;
  changedTo();
}

/** Return a refused message to the field, before text typed since. */
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
  if (isBusy) focusField(); // the pressed button is gone
}

function pressed(event) {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  acts.send(text());
}

function stop(event) {
  if (event.timeStamp - sentAt < DOUBLE_CLICK_MS) return; // the second click of a double click on Send, which Stop replaced
  acts.stop();
  field().focus({ preventScroll: true });
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

/** Focus the field, except on touch screens, where the keyboard would cover half of the page. */
export function focusField() {
  if (window.matchMedia("(hover: hover) and (pointer: fine)").matches) field().focus({ preventScroll: true });
}

/** Focus the field on any device. */
export function goToField() {
  field().focus();
}

/** Add a message to the queue. */
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

/** Return all queued messages to the field. */
export function takeAllBack() {
  if (!waiting.length) return;
  const messages = waiting.join("\n");
  waiting = [];
  remember({ waiting });
  giveBack(messages);
}

/** Remove and return the first queued message. */
export function nextWaiting() {
  const [next, ...others] = waiting;
  if (next === undefined) return undefined;
  waiting = others;
  remember({ waiting });
  draw();
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
