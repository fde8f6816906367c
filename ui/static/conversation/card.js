// One card: what it shows of its turns, as a template. The answer is what one reads; all else is light, or behind one gesture.

import { connectButton, exampleButtons } from "./start.js";
import { button, copyText } from "../shared/panel.js";
import { html, nothing } from "../shared/lit.js";
import { noted as page, tell as tellPage, words } from "../shared/server.js";
import { localNumber, writtenIn } from "../shared/text.js";
import { mayEdit, showCard } from "./cards.js";
import { announce, say } from "./composer.js";
import { safeMarkup } from "./markup.js";
import { editingForm, meaningForm, openEditing, openMeaning } from "./meaning.js";
import { memoryView } from "./memory.js";
import { comparison, othersView, savedLine } from "./saved.js";
import { answerAgain, talk, tell } from "./talk.js";

const SECONDS_UNTOLD = 5;
const LONG_QUESTION = 600; // characters
const LONG_LINES = 8;

/** Return true if a turn is a message by which the user put an earlier answer right. */
export function isMessage({ data }) {
  return data.state === "correction" || (data.state === "undone" && !data.understanding && !data.answer);
}

/**
 * Return what a card shows: the last of its answers that was not taken back, with text if one has it, or the one that is on
 * its way in its place.
 */
export function nowOf(card) {
  const { run, turns } = talk;
  const message = isMessage(card.turns[0]) ? card.turns[0] : null;
  const left = card.turns.filter((turn) => turn !== message && turn.data.state !== "undone");
  const told = left.filter((turn) => turn.data.state !== "deleted");
  const stands = told.length ? told : left;
  const turn = stands.at(-1) ?? null;
  const isRun = run?.card === card;
  const isNext = Boolean(card.next) && turn;
  const isComing = isNext || (isRun && run.instead === turn);
  const isSaved = isNext && turn.data.noted?.text === card.next;
  const progress = isSaved ? words.answered_next : isNext || (isRun && run.meant) ? words.saving : words.sending;
  const coming = { state: "running", question: (isRun && run.question) || turn?.data.question, progress };
  const data = isComing ? coming : turn ? dataOf(turn, stands) : {};
  const replaced = turns.get(data.replaces) ?? null;
  const before = isComing ? turn : replaced?.data.state === "deleted" ? null : replaced;
  const isAgain = before !== null && before.data.question === data.question;
  const isBusy = data.state === "running";
  const isFolded = card.below !== null && card.below.data.state !== "undone";
  const was = isAgain ? before.data : {};
  const understanding =
    data.understanding || (isBusy && (card.next || (isRun && run.meant) || was.understanding)) || "";
  const same = stands.filter((one) => one.data.question === data.question);
  return {
    message,
    turn,
    data,
    before,
    isBusy,
    isFolded,
    understanding: isFolded ? "" : understanding,
    old: isFolded ? understanding : was.understanding === understanding ? "" : (was.understanding ?? ""),
    answer: isFolded ? "" : data.answer || (isBusy && was.answer) || "",
    isAsBefore:
      isAgain && data.put_right && before.data.understanding === understanding && before.data.answer === data.answer,
    noted: isFolded ? null : (message ?? same.findLast((one) => one.data.noted) ?? null),
    isOpen: turn !== null && !isBusy && !isFolded,
    mayCorrect: !isFolded && Boolean(isBusy ? data.understanding : data.can?.correct),
  };
}

// Where answering again failed or was stopped, the answer before it stays, with what went wrong.
function dataOf(turn, stands) {
  const { state, error, notice, can } = turn.data;
  const earlier = stands.findLast((one) => one.data.state === "answered" && one.data.question === turn.data.question);
  if (!["failed", "stopped"].includes(state) || !earlier) return turn.data;
  return { ...earlier.data, error, notice, can: { ...earlier.data.can, confirm: false, retry: can.retry } };
}

/** Show a card. */
export function cardView(card) {
  const { now } = card;
  const { message, turn, data, answer, isBusy, isFolded } = now;
  const first = card.turns[0].data;
  const notice = noticeOf(card);
  const progress = isBusy ? (data.progress ?? words[data.phase] ?? "") : "";
  return html`${askedView(card, message?.data.question ?? data.question ?? first.question)}
    <div class="card" ?hidden=${!turn && !message && first.state !== "undone"}>
      ${understandingView(card)}
      <div class="meaning">${card.isCorrecting ? meaningForm(card) : nothing}</div>
      <div class="answer ${isBusy && !data.answer ? "stale" : ""}" dir="auto">${markup(card, answer)}</div>
      <div class="progress" ?hidden=${!progress}>${progress ? lasting(card, progress) : nothing}</div>
      <div class="notice" ?hidden=${!notice}>${notice}</div>
      <div class="memory" ?hidden=${isFolded || !data.memory}>${!isFolded && data.memory ? memoryView(card, data.memory) : nothing}</div>
      ${page.card_parts.map((name) => partView(card, name))}
      <div class="foot" role="group" aria-label=${words.actions}>${footView(card)}</div>
      <div class="others">${othersView(card)}</div>
      <div class="comparison" ?hidden=${!card.isCompared}>${card.isCompared ? comparison(now) : nothing}</div>
    </div>`;
}

function askedView(card, question) {
  const isLong = question.length > LONG_QUESTION || question.split("\n").length > LONG_LINES;
  const unfold = () => {
    card.isWhole = !card.isWhole;
    showCard(card);
  };
  const edit =
    mayEdit(card) && !card.isEditing
      ? button("link edit-question", words.edit_question, () => openEditing(card))
      : nothing;
  return html`<div class="asked">
      <h2 class="heading visually-hidden">${words.you_asked}</h2>${edit}
      <p class="question ${isLong && !card.isWhole ? "folded" : ""}" dir="auto" ?hidden=${!question || card.isEditing}>${question}</p>
      ${card.isEditing ? editingForm(card) : nothing}
    </div>
    <div class="whole">${
      isLong
        ? html`<button class="link" type="button" aria-expanded=${String(card.isWhole)} @click=${unfold}>${card.isWhole ? words.show_less : words.show_all}</button>`
        : nothing
    }</div>`;
}

// All of the line changes what was understood, not the words alone; a key that presses them clicks it, too.
function understandingView(card) {
  const { understanding, old, message, answer, isFolded, mayCorrect, isBusy, data, turn } = card.now;
  const isHidden = card.isCorrecting || !(understanding || old || (answer && !isBusy));
  const change = ({ target }) => target.closest(".icon") || openMeaning(card, sentenceOf(card));
  const confirm = () => {
    if (!data.confirmed) tell("react", { turn: turn.id, reaction: "confirm" });
    else if (data.kept) tell("undo", { entry: data.kept });
  };
  return html`<div class="understanding" ?hidden=${isHidden}>
    <s class="old" dir="auto" ?hidden=${!old}>${old}</s>
    <div class="understood-line ${mayCorrect ? "may-correct" : ""}" ?hidden=${isFolded} @click=${change}>
      <button class="understood ${old || message ? "new" : ""}" type="button" dir="auto" title=${words.understanding_change}>${understanding || words.no_understanding}</button>
      <button class="icon pencil" type="button" title=${words.no_i_meant} aria-label=${words.no_i_meant} ?hidden=${!mayCorrect} @click=${() => openMeaning(card, "")}>✎</button>
      <button class="icon tick" type="button" title=${words.yes} aria-label=${words.yes} aria-pressed=${String(Boolean(data.confirmed))} ?hidden=${!data.can?.confirm} @click=${confirm}>✓</button>
    </div>
  </div>`;
}

/** Return what there is to change; that nothing could be done is no understanding. */
export function sentenceOf({ now: { understanding, data } }) {
  return data.can?.examples ? "" : understanding;
}

// The nodes of an answer, made anew where it is another one.
function markup(card, answer) {
  if (card.markup?.answer !== answer) card.markup = { answer, nodes: [...safeMarkup(answer).childNodes] };
  return card.markup.nodes;
}

// What is being done, and for how long where that takes a while.
function lasting(card, progress) {
  if (card.lasting?.progress !== progress) {
    card.lasting = { progress, began: Date.now() };
    setTimeout(() => tick(card, card.lasting), 1000);
  }
  const seconds = Math.floor((Date.now() - card.lasting.began) / 1000);
  if (seconds < SECONDS_UNTOLD) return progress;
  return `${progress} ${localNumber(seconds, { style: "unit", unit: "second", unitDisplay: "short" })}`;
}

function tick(card, lasting) {
  if (card.lasting !== lasting || !card.now.isBusy || !card.root.isConnected) return;
  showCard(card);
  setTimeout(() => tick(card, lasting), 1000);
}

function noticeOf({ turns: [{ data: first }], now: { turn, data, isFolded, isOpen, isAsBefore } }) {
  if (!turn) return first.state === "undone" ? words.undone : "";
  if (isFolded) return words.answered_again;
  if (!isOpen) return "";
  const asBefore = !data.followed && page.models?.isSmall ? words.not_followed : words.followed_as_before;
  return data.error || words[data.notice] || (isAsBefore ? asBefore : "");
}

const views = {}; // of further parts, by name; each is loaded when the first card has something for it

// Where its script cannot be loaded, the part says so.
function loadPart(name) {
  const lost = () => html`<p class="problem">${words.lost}</p>`;
  return import(`../parts/${name}.js`).then(
    (part) => part.default,
    () => lost,
  );
}

/** Load the further parts of which turns have something to show. */
export async function loadParts(turns) {
  const names = page.card_parts.filter((name) => turns.some(({ parts }) => (parts?.[name] ?? null) !== null));
  await Promise.all(names.map(async (name) => (views[name] = await loadPart(name))));
}

// A further part of a card (`CardPart` in `ui/server/services.py`). It keeps what the user does in it in `state`.
function partView(card, name) {
  const { data, isOpen } = card.now;
  const told = data.parts?.[name] ?? null;
  if (told !== null && !views[name]) {
    views[name] = () => nothing;
    loadParts([data]).then(() => talk.cards.forEach(showCard));
  }
  const act = (acted) => {
    const items = [...card.root.querySelectorAll(`.part-${name} li`)];
    card.acted = { name, place: items.indexOf(document.activeElement.closest("li")) };
    answerAgain(card, "act", { part: name, told: acted });
  };
  const state = (card.parts[name] ??= {});
  const view = told === null ? nothing : views[name](told, isOpen ? act : null, state, () => showCard(card));
  return html`<div class="part-${name} card-part" ?hidden=${view === nothing}>${view}</div>`;
}

// Where the small model could not answer, or not use what was said, another one can be connected.
function offersModel({ isOpen, isAsBefore, data }) {
  const isBeyond = Boolean(data.can?.examples) || (isAsBefore && !data.followed);
  return isOpen && isBeyond && Boolean(page.models?.isSmall && page.models.mayConnect);
}

// One quiet line: what was saved, what was there before, and what else can be done.
function footView(card) {
  const { data, isOpen, before, noted, isAsBefore } = card.now;
  const act = (name, label, onClick) =>
    html`<button class="link" type="button" data-act=${name} @click=${(event) => {
      say(""); // of what was done before
      onClick(event.currentTarget);
    }}>${label}</button>`;
  const again = data.notice === "stopped" && data.answer ? words.go_on : words.try_again;
  const copy = (pressed) => copyText(data.copy, pressed).then(() => announce(words.copied));
  const compare = () => {
    say(""); // of what was done before
    card.isCompared = !card.isCompared;
    showCard(card);
  };
  return [
    isOpen && data.can.retry ? act("retry", again, () => answerAgain(card, "retry")) : nothing,
    noted ? savedLine(card, noted) : nothing,
    isOpen && before && !isAsBefore
      ? html`<button class="link" type="button" data-act="compare" aria-expanded=${String(card.isCompared)} @click=${compare}>${words.compare}</button>`
      : nothing,
    offersModel(card.now) ? connectButton("link accent", words.start_connect) : nothing,
    isOpen && data.copy ? act("copy", words.copy, copy) : nothing,
    isOpen && data.leads ? act("memory", words.tab_memory, () => tellPage("tab", "memory")) : nothing,
    isOpen && data.can.examples && card === talk.cards.at(-1) ? exampleButtons(writtenIn(data.question)) : nothing,
  ];
}
