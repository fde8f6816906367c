// The cards of a conversation, in order. A turn that answers a question again updates the card of that question in
// place; a message that corrected an earlier answer has a card of its own.

import { html, render } from "../shared/lit.js";
import { tell, words } from "../shared/server.js";
import { cardView, isMessage, nowOf, savedAs } from "./card.js";
import { announce, remember } from "./composer.js";
import { forgetSaved } from "./meaning.js";
import { lastTurn, showStart, talk } from "./talk.js";

export { answerSaved, openEditing, openMeaning, refuseMeaning } from "./meaning.js";
export { loadParts } from "./why.js";

let pending = null; // placeholder for a message until its turn arrives

const list = () => document.querySelector("#conversation .turns");

function newArticle() {
  return Object.assign(document.createElement("article"), { className: "turn stack", tabIndex: -1 });
}

/** Update and render a card. */
export function showCard(card) {
  const { now } = Object.assign(card, { now: nowOf(card) });
  const { root } = card;
  if (!now.mayCorrect) card.isCorrecting = false;
  if (!mayEdit(card)) card.isEditing = false;
  if (!now.before || now.isBusy) card.isCompared = false;
  root.setAttribute("aria-busy", String(now.isBusy));
  root.classList.toggle("putting-right", Boolean(card.isCorrecting));
  const wasFollowed = isFollowed(card);
  keepFocus(root, () => render(cardView(card), root));
  if (wasFollowed) bringToSight(root);
}

/** Render the cards that other activity may change: the last one, and the last one with a turn. */
export function showLast() {
  for (const card of new Set([talk.cards.findLast(({ now }) => now?.turn), talk.cards.at(-1)]))
    if (card) showCard(card);
}

/** Return true if the question of a card can be edited: the last one, while nothing is being answered. */
export function mayEdit(card) {
  const last = talk.cards.findLast(({ now }) => now?.turn);
  return card === last && !talk.run && card.now.isOpen && !card.now.message && card.now.data.state !== "deleted";
}

// Draw, and if the focused control disappears, focus the one in its place in that line or part of the card, else the card.
function keepFocus(root, drawAnew) {
  const used = root.contains(document.activeElement) ? document.activeElement : null;
  const around = [".kept-back", ".card > *"].map((one) => used?.closest(one)).filter(Boolean);
  const places = around.map((one) => controlsOf(one).indexOf(used) + 1);
  drawAnew();
  const { activeElement: now } = document;
  if (!places.some(Boolean) || (root.contains(now) && now.checkVisibility())) return;
  const next = around.map((one, number) => controlsOf(one).slice(0, places[number]).at(-1)).find(Boolean);
  (next ?? root).focus({ preventScroll: true });
}

const controlsOf = (part) =>
  Array.from(part.querySelectorAll("button, summary, input")).filter((one) => one.checkVisibility());

/** Restore the focus after an action in a card, or move it to a new card's answer, if the focused element is gone. */
export function focusActed(card, isAgain) {
  const { name, place } = card.acted ?? {};
  card.acted = null;
  if (![document.body, card.root].includes(document.activeElement)) return;
  if (isAgain && card.root === list().lastElementChild) bringToSight(card.root); // what it may be used for is at its end
  const part = name && card.root.querySelector(`.part-${name}:not([hidden])`);
  const controls = [part?.querySelectorAll("li")[place], part].map((one) => one?.querySelector("button, summary"));
  const action = isAgain && card.root.querySelector('[data-act="correct"]');
  [...controls, action, card.root].find(Boolean).focus({ preventScroll: true });
}

/** Apply an update of a turn, of the run of this page (`mine`) or of another. */
export function receiveTurn(data, mine) {
  let turn = talk.turns.get(data.id);
  if (!turn) {
    if (!data.state) return;
    turn = addTurn(data, mine);
  }
  const { card } = turn;
  const before = { ...turn.data };
  Object.assign(turn.data, data);
  if (card.next && turn.data.noted?.text === card.next && !before.noted) announce(words.message_noted);
  const isUndone = Boolean(before.noted && !turn.data.noted);
  if (isUndone && card.next) forgetSaved(card);
  showCard(card);
  for (const other of talk.cards) if (other.below === turn) showCard(other);
  // An older clarification that this one replaces can no longer be undone.
  for (const other of data.noted?.supersedes ? talk.turns.values() : []) {
    if (other === turn || other.data.noted?.entry !== data.noted.supersedes) continue;
    other.data.noted = { ...other.data.noted, entry: "" };
    showCard(other.card);
  }
  announceChange(turn, before, mine);
  const isGone = isUndone || (before.state && before.state !== "undone" && turn.data.state === "undone");
  if (isGone && !mine) announce(`${words.undone} ${readAloud(card)}`);
  // Undo restores the corrected answer and removes the pressed button.
  if (isUndone) card.root.focus({ preventScroll: true });
}

function addTurn(data, mine) {
  const turn = { id: data.id, data: {}, card: cardFor(data, mine) };
  const { card } = turn;
  talk.turns.set(turn.id, turn);
  card.turns.push(turn);
  const answered = talk.turns.get(data.replaces)?.card;
  if (answered && answered !== card) answered.below = turn;
  if (mine) Object.assign(talk.run, { last: turn, card });
  if (mine && talk.run.meant) card.typed = "";
  if (mine && talk.turns.size === 1) tell("talk", talk.id); // a conversation gets an address with its first turn
  return turn;
}

// A turn that answers a question again belongs to that question's card, but stays below a message that corrected it.
function cardFor({ replaces }, mine) {
  const earlier = talk.turns.get(replaces)?.card;
  const last = lastTurn();
  if (earlier && (last.card === earlier || last.card.turns[0] !== last || !isMessage(last))) return earlier;
  if (earlier) return last.card;
  // Local state: `typed` correction, saved as `next` to be answered later, `parts`, and what is open (`isWhy`, …).
  const card = { root: newArticle(), turns: [], now: null, below: null, typed: "", next: "", problem: "", parts: {} };
  const before = talk.cards.at(-1);
  talk.cards.push(card);
  if (before?.now) showCard(before); // only the newest card shows suggested questions
  if (!mine) list().append(card.root);
  else if (!pending) append(card.root);
  else {
    remember({ question: "" });
    pending.replaceWith(card.root);
    pending = null;
  }
  return card;
}

/** Show a message until its turn arrives; an empty one hides it. */
export function showPending(message) {
  pending?.remove();
  pending = null;
  if (!message) return;
  pending = newArticle();
  pending.setAttribute("aria-busy", "true");
  render(
    html`<div class="asked spread"><p class="question" dir="auto">${message}</p></div>
      <p class="progress hint">${words.sending}</p>`,
    pending,
  );
  append(pending);
}

function append(article) {
  for (const { root } of talk.cards) root.style.minHeight = "";
  list().append(article);
  showStart();
  bringToSight(article);
}

// Scroll down as far as a turn needs, at most to its beginning.
function bringToSight(article) {
  const [turn, room] = [article, list()].map((element) => element.getBoundingClientRect());
  const distance = Math.min(turn.bottom - room.bottom, turn.top - room.top);
  if (distance > 0) list().scrollTop += distance;
}

// Return true if the answer in the last card is to be followed: it is being generated, and its end is in sight.
function isFollowed({ root }) {
  if (!talk.run || list().lastElementChild !== root) return false;
  const { scrollHeight, scrollTop, clientHeight } = list();
  return scrollHeight - scrollTop - clientHeight < 2;
}

/** Show just these turns, in the server's order: others were erased, and those of another tab may be older than later ones. */
export function showOnly(told) {
  const ordered = told.map(({ id }) => talk.turns.get(id));
  if (ordered.length < talk.turns.size) announce(""); // the live region may repeat erased text
  talk.turns.clear();
  for (const turn of ordered) talk.turns.set(turn.id, turn);
  const cards = [...new Set(ordered.map((turn) => turn.card))];
  for (const card of talk.cards) if (!cards.includes(card)) card.root.remove();
  talk.cards = cards;
  cards.forEach((card, place) => {
    card.turns = ordered.filter((turn) => turn.card === card);
    const there = list().children[place];
    if (there !== card.root) there.before(card.root); // leave cards in the right place, which keeps the focus
    showCard(card);
  });
}

/** Remove all cards. */
export function forgetCards() {
  talk.turns.clear();
  talk.cards = [];
  pending = null;
  list().replaceChildren();
}

function announceChange({ card, data: { state, phase, error } }, before, mine) {
  if (state === "running" && phase !== before.phase && words[phase]) announce(words[phase]);
  // An instant answer may arrive complete, since quick updates are batched.
  const wasRunning = before.state === "running" || (mine && !before.state);
  if (!wasRunning || state === "running") return;
  if (state === "correction") announce(words.message_noted);
  else if (state === "failed") announce(error);
  else if (state === "stopped") announce(words.stopped);
  else announce(readAloud(card));
}

// Return the text of a card for the live region, without folded parts; after a correction, old and new understanding.
function readAloud({ root, now }) {
  const { old, understanding, noted } = now;
  const before = old && `${words.compare_before}: ${old} ${words.compare_now}:`;
  const parts = [".answer", ".notice", ".acts > .noted"].map((part) => root.querySelector(`.card > ${part}`));
  const shown = [noted && savedAs(now), before, understanding, ...parts.map((part) => part?.textContent)];
  return shown.filter(Boolean).join(" ");
}
