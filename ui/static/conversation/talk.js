// Requests of the conversation. One run at a time, from a question, correction or retry until the server sends `done`;
// actions that answer nothing may happen beside it.

import { ask, follow, newId, noted, store, tell as tellPage, words } from "../shared/server.js";
import { tooLong } from "../shared/text.js";
import * as composer from "./composer.js";

/** The module of the cards, loaded with the first turn. */
export let cards = null;

/** Where the browser keeps which conversation was open last. */
export const STORED_AS = "noted-conversation"; // not secret: the server checks the owner
const LOOKS_AGAIN = 5;
const LONGEST_ACT_MS = 10_000;

/** The open conversation: id, turns by id in order, cards, and the run. */
export const talk = { id: "", turns: new Map(), cards: [], run: null, mayOffer: false, longest: {} };

let changes = 0; // counts actions, to discard responses to older requests
let acts = 0; // actions without a response yet
let isOutdated = false; // memory changed during a run
let looksAgain = 0;
let leaving = null; // last request to open another conversation
let sendsFirst = ""; // the message that loads the cards

// Other tabs of this browser read a conversation again when it changes here.
const tabs = new BroadcastChannel("noted");
tabs.addEventListener("message", ({ data }) => data === talk.id && refresh());

/** Show the start if there is no turn. */
export function showStart() {
  const turns = document.querySelector("#conversation .turns");
  const isShown = !turns.childElementCount && Boolean(talk.id);
  /** @type {HTMLElement} */ (turns.previousElementSibling).hidden = !isShown;
  const isChanged = isShown !== Boolean(noted.isAtStart);
  noted.isAtStart = isShown;
  if (isChanged) tellPage("start");
}

/** Return the last turn. */
export const lastTurn = () => Array.from(talk.turns.values()).at(-1);

async function loadCards() {
  if (cards) return;
  const loaded = await import("./cards.js");
  await loaded.loadParts();
  cards = loaded;
}

/** Send a message, or queue it while another is answered or a conversation is being opened. */
export function send(message) {
  const refused = tooLong(message, talk.longest.question);
  if (refused) return composer.say(refused);
  const isNext = !cards && sendsFirst && sendsFirst !== message; // after one that waits for the cards
  if (!talk.id || leaving || talk.run || acts || isNext) return composer.letWait(message);
  if (!cards) {
    if (!sendsFirst) loadCards().then(() => send(sendsFirst), loseWaiting);
    sendsFirst ||= message;
    return;
  }
  sendsFirst = "";
  const last = talk.cards.at(-1);
  const seen = (last?.now.turn ?? last?.turns.at(-1))?.id ?? "";
  if (!begin("ask", { question: message, seen }, { question: message, isPending: true })) return;
  cards.showPending(message);
  if (composer.text() === message) composer.write("");
  composer.remember({ question: message, draft: composer.text() });
  composer.announce(words.sending);
}

/** Answer the question of a card again, or another `question`, in place of its answer; `meant` is the correction. */
export function answerAgain(card, event, data = {}, origin = {}) {
  const { turn } = card.now;
  // Keep the height, so that the card does not move on the screen.
  card.root.style.minHeight = `${card.root.offsetHeight}px`;
  begin(event, { turn: turn.id, ...data }, { card, instead: turn, ...origin });
  cards.showCard(card);
}

// Begin a run unless one is going on. `origin` holds the user's text, to return it if the run is refused.
function begin(event, data, origin) {
  const refused = talk.run ? words.still_answering : tooLong(origin.question ?? "", talk.longest.question);
  composer.say(refused);
  if (refused) return false;
  const run = { id: newId(), began: Date.now(), last: null, reading: new AbortController(), ...origin };
  const tick = () => (talk.run === run ? run.card && cards.showCard(run.card) : clearInterval(ticking));
  const ticking = setInterval(tick, 1000);
  talk.run = run;
  changes++;
  composer.showBusy(true);
  cards.showLast();
  const asked = { ...data, conversation: talk.id, run: run.id };
  const lost = () => talk.run === run && loseServer();
  const heard = (update) => talk.run === run && receiveRun(update);
  follow("conversation", event, asked, heard, run.reading.signal).then(lost, lost);
  return true;
}

function receiveRun({ turns = [], done, refused }) {
  const { run } = talk;
  if (!run.isFollowed && (done || !run.isTold)) tabs.postMessage(talk.id);
  run.isTold = true;
  for (const data of turns) cards.receiveTurn(data, true);
  if (done || refused) end(refused || (turns.length ? "" : words.stopped)); // without turns: stopped before it began
}

function end(refused) {
  const { card, instead, question, meant, isPending, last, isStopping, isFollowed } = talk.run;
  changes++;
  talk.run = null;
  composer.showBusy(false);
  cards.showLast();
  if (card) cards.showCard(card);
  showStart();
  if (card && !isFollowed) cards.focusActed(card, Boolean(instead));
  if (composer.says(words.still_answering)) composer.say("");
  if (isOutdated || (isStopping && !last)) refresh(); // the run may have begun nevertheless
  if (!refused) tellPage("talk", talk.id);
  cards.showPending("");
  if (isPending && !last) {
    composer.announce(""); // the note says it
    composer.giveBack(question);
  }
  const isWell = !refused && !["stopped", "failed"].includes(last?.data.state);
  if (!cards.answerSaved()) goOn(isWell);
  if (!refused || last) return;
  if (meant) cards.refuseMeaning(card, refused, meant);
  else composer.say(refused);
  if (!meant && instead && question) cards.openEditing(card, question);
}

// After a successful run, send the next queued message; else return all to the field.
function goOn(isWell = true) {
  if (leaving) return; // they are for the next conversation
  if (!isWell) return composer.takeAllBack();
  const next = composer.nextWaiting();
  if (next !== undefined) send(next);
}

function loseServer() {
  for (const { id, data } of talk.turns.values()) {
    const can = { retry: true, correct: Boolean(data.understanding) };
    if (data.state === "running") cards.receiveTurn({ id, state: "failed", error: words.lost, can }, true);
  }
  end(words.lost);
}

/** Stop the answer being generated. */
export function stop() {
  const { run } = talk;
  if (!run || run.isStopping) return;
  run.isStopping = true;
  composer.showBusy(true, true);
  ask("conversation", "stop", { run: run.id }).catch(() => {});
}

/** Send an action that answers nothing. Messages sent after it wait. `refused` gets the reason of a refusal. */
export async function tell(event, data, refused = composer.say) {
  composer.say(""); // clear the message of the previous action
  acts++;
  changes++;
  let problem = "";
  const heard = (update) => (problem = update.refused ?? "");
  await askTurns(event, data, heard, AbortSignal.timeout(LONGEST_ACT_MS)).catch(() => (problem = words.lost));
  acts--;
  if (problem) refused(problem);
  queueMicrotask(() => !talk.run && !acts && goOn());
}

/** Update the turns after a change elsewhere. */
export function refresh() {
  isOutdated = Boolean(talk.run);
  if (!talk.run && talk.id) askTurns("refresh").catch(() => {}); // keep them as they are
}

// Fetch turns; discard a response that is older than an action here, and fetch again.
async function askTurns(event, data = {}, heard = undefined, signal = undefined) {
  await loadCards();
  const [before, conversation] = [changes, talk.id];
  const receive = (update) => {
    const { turns = [], following } = update;
    heard?.(update);
    if (conversation !== talk.id) return;
    if (update.refresh && (talk.run || changes !== before)) return refresh();
    for (const turn of turns) cards.receiveTurn(turn, false);
    if (update.refresh) cards.showOnly(turns);
    else {
      changes++;
      tabs.postMessage(talk.id);
    }
    // A run whose page was left is recorded within seconds.
    if (turns.some((turn) => turn.left) && looksAgain-- > 0) setTimeout(refresh, 1000);
    cards.showLast();
    showStart();
    if (following && turns.some(({ state }) => state === "running")) goOnWith(following);
  };
  await follow("conversation", event, { ...data, conversation, run: newId() }, receive, signal);
}

/**
 * Open another conversation by an event (`go_on`, `open`, `fresh`). Messages sent meanwhile belong to it. A run of this
 * one continues on the server for a while.
 */
export async function leaveFor(event, data, opened) {
  const asked = (leaving = {});
  composer.takeAllBack();
  try {
    const opening = { turns: [], conversation: data.conversation ?? "" }; // in case it is refused
    const update = { ...opening, ...(await ask("conversation", event, data)) };
    if (update.turns.length || update.following) await loadCards();
    if (leaving === asked) reset(update, opened);
  } catch {
    if (leaving !== asked) return;
    leaving = null;
    loseWaiting();
  }
}

function loseWaiting() {
  sendsFirst = ""; // it is still in the field
  composer.takeAllBack();
  composer.say(words.lost);
}

function reset(update, opened) {
  leaving = null;
  talk.run?.reading.abort();
  Object.assign(talk, { id: update.conversation, run: null, mayOffer: Boolean(update.may_offer) });
  changes++;
  looksAgain = LOOKS_AGAIN;
  store(STORED_AS, talk.id);
  composer.announce(""); // it was about the other conversation
  cards?.forgetCards();
  composer.showBusy(false);
  for (const data of update.turns) cards.receiveTurn(data, false);
  talk.cards.forEach((card) => cards.showCard(card)); // only the last question can be edited
  showStart();
  tellPage("talk", talk.id);
  if (update.refused) composer.say(update.refused);
  if (update.following) goOnWith(update.following);
  opened(update);
  if (!talk.run) goOn();
}

// Follow a run that began before a reload or in another tab.
function goOnWith(id) {
  const last = Array.from(talk.turns.values()).findLast((turn) => turn.data.state === "running");
  composer.remember({ question: "" });
  begin("follow", {}, { id, last, card: last?.card, isFollowed: true });
}
