// Template of a card: the understanding, the answer, what was saved, one row of actions, and "Why this answer" behind one
// of them.

import { connectButton, exampleButtons } from "./conversation.js";
import { html, live, nothing } from "../shared/lit.js";
import { button, confirmation, copyText, formsIn, saidOtherwise } from "../shared/panel.js";
import { mayConnect, noted as page, store, stored, tell as tellPage, words } from "../shared/server.js";
import { filled, localNumber, writtenIn } from "../shared/text.js";
import { mayEdit, showCard } from "./cards.js";
import { announce, say } from "./composer.js";
import { safeMarkup } from "./markup.js";
import { editingForm, meaningForm, openEditing, openMeaning } from "./meaning.js";
import { answerAgain, talk, tell } from "./talk.js";
import { lines, partView, reasons, usedWhat, whyView } from "./why.js";

const SECONDS_UNTOLD = 5;
const LONG_QUESTION = 600; // characters
const LONG_LINES = 8;
const LEGEND_READ = "noted-marks-read";

/** Return true if a turn is a message that corrected an earlier answer. */
export function isMessage({ data }) {
  return data.state === "correction" || (data.state === "undone" && !data.understanding && !data.answer);
}

/**
 * Return the state of a card: its last answer that was not undone, with text if one has it, or the one being generated
 * in its place.
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
    isAsBefore: isAgain && data.put_right && before.data.answer === data.answer,
    noted: isFolded ? null : (message ?? same.findLast((one) => one.data.noted) ?? null),
    isOpen: turn !== null && !isBusy && !isFolded,
    isWhy: !isFolded && Boolean(data.memory || reasons(data).length),
    mayCorrect: !isFolded && Boolean(isBusy ? data.understanding : data.can?.correct),
  };
}

// If answering again failed or was stopped, keep the earlier answer and show the problem.
function dataOf(turn, stands) {
  const { state, error, notice, can } = turn.data;
  const earlier = stands.findLast((one) => one.data.state === "answered" && one.data.question === turn.data.question);
  if (!["failed", "stopped"].includes(state) || !earlier) return turn.data;
  return { ...earlier.data, error, notice, can: { ...earlier.data.can, confirm: false, retry: can.retry } };
}

// Return the text for the phase of an answer, with its place in the queue of a local model.
const phaseText = ({ phase, ahead }) =>
  ahead ? filled(words.queued_behind, { count: localNumber(ahead) }) : (words[phase] ?? "");

/** Render a card. */
export function cardView(card) {
  const { now } = card;
  const { message, turn, data, answer, isBusy, isWhy } = now;
  const first = card.turns[0].data;
  const notice = noticeOf(card);
  const progress = isBusy ? (data.progress ?? phaseText(data)) : "";
  return html`${askedView(card, message?.data.question ?? data.question ?? first.question)}
    <div class="card stack" ?hidden=${!turn && !message && first.state !== "undone"}>
      ${card.isCorrecting ? nothing : understandingView(now)}
      <div class="meaning">${card.isCorrecting ? meaningForm(card) : nothing}</div>
      <div class="answer ${isBusy && !data.answer ? "stale" : ""}" dir="auto">${markup(card, answer)}</div>
      <div class="progress hint" ?hidden=${!progress}>${progress ? lasting(progress) : nothing}</div>
      <div class="notice small" ?hidden=${!notice}>${notice}</div>
      ${lines(data).map((name) => partView(card, name))}
      <div class="foot saved underlined">${savedLine(card)}</div>
      <div class="others underlined">${othersView(card)}</div>
      <div class="before aside small quiet" ?hidden=${!card.isCompared}>${card.isCompared ? beforeView(now) : nothing}</div>
      <div class="foot acts" role="group" aria-label=${words.actions}>${card.isCorrecting ? nothing : actionsView(card)}</div>
      <div class="why aside stack small quiet underlined" ?hidden=${!(isWhy && card.isWhy)}>${isWhy && card.isWhy ? whyView(card) : nothing}</div>
    </div>`;
}

function askedView(card, question) {
  const { message, data } = card.now;
  const marks = message ? [] : (data.parts?.marks ?? []);
  const isLong = question.length > LONG_QUESTION || question.split("\n").length > LONG_LINES;
  const isWhole = Boolean(card.isWhole);
  const edit = () => button("link edit-question", words.edit_question, () => openEditing(card));
  const unfold = () =>
    button("link", isWhole ? words.show_less : words.show_all, toggle(card, "isWhole"), { isExpanded: isWhole });
  return html`<div class="asked spread">
      <h2 class="visually-hidden">${words.you_asked}</h2>${mayEdit(card) && !card.isEditing ? edit() : nothing}
      <p class="question ${isLong && !isWhole ? "folded" : ""}" dir="auto" ?hidden=${!question || card.isEditing}>${marked(question, marks)}</p>
      ${card.isEditing ? editingForm(card) : nothing}
    </div>
    <div class="whole">${isLong ? unfold() : nothing}${marks.length ? legend(card) : nothing}</div>`;
}

// Return a function that opens or closes something in a card.
function toggle(card, name) {
  return () => {
    say(""); // clear the message of the previous action
    card[name] = !card[name];
    showCard(card);
  };
}

// Explain the underlined words in the last card until the user dismisses it.
function legend(card) {
  if (card !== talk.cards.at(-1) || stored(LEGEND_READ)) return nothing;
  const read = () => {
    store(LEGEND_READ, "1");
    showCard(card);
  };
  return html`<p class="hint">${words.marks_legend} ${button("link", "✕", read, { name: words.talks_close })}</p>`;
}

// Underline ranges of a text, by which an entry was found; they count code points, as on the server.
function marked(text, ranges) {
  if (!ranges.length) return text;
  const part = (start, end) => Array.from(text).slice(start, end).join("");
  const ends = [0, ...ranges.map(([, end]) => end)];
  const piece = ([start, end], place) => html`${part(ends[place], start)}<mark>${part(start, end)}</mark>`;
  return [ranges.map(piece), part(ends.at(-1))];
}

function understandingView({ understanding, old, message, data, isAsBefore }) {
  if (!understanding && !old) return nothing;
  const isNew = old || message || (data.put_right && !isAsBefore);
  return html`<div class="understanding hint">
    ${old ? html`<p><span class="visually-hidden">${words.compare_before}: </span><s class="old" dir="auto">${old}</s></p>` : nothing}
    ${understanding ? html`<p class="understood ${isNew ? "new" : ""}" dir="auto">${understanding}</p>` : nothing}
  </div>`;
}

// Return the nodes of an answer, cached until it changes.
function markup(card, answer) {
  if (card.markup?.answer !== answer) card.markup = { answer, nodes: [...safeMarkup(answer).childNodes] };
  return card.markup.nodes;
}

// Return the progress, with the elapsed time after a while.
function lasting(progress) {
  const seconds = Math.floor((Date.now() - talk.run?.began) / 1000);
  if (!(seconds >= SECONDS_UNTOLD)) return progress;
  return `${progress} ${localNumber(seconds, { style: "unit", unit: "second", unitDisplay: "short" })}`;
}

function noticeOf({ turns: [{ data: first }], now: { turn, data, isFolded, isOpen } }) {
  if (!turn) return first.state === "undone" ? words.undone : "";
  if (isFolded) return words.answered_again;
  return isOpen ? data.error || words[data.notice] || "" : "";
}

// Offer to connect a model in the last card, if the small model could not answer or could not use the correction.
function offersModel(card) {
  const { isOpen, isAsBefore, data } = card.now;
  const isBeyond = Boolean(data.can?.examples) || (isAsBefore && !data.followed);
  return isOpen && isBeyond && card === talk.cards.at(-1) && mayConnect();
}

// Render one row: which notes the answer used, and the actions.
function actionsView(card) {
  const { data, turn, isOpen, isWhy, isFolded, mayCorrect } = card.now;
  const used = isFolded ? "" : usedWhat(data);
  const again = data.notice === "stopped" && data.answer ? words.go_on : words.try_again;
  const copy = ({ currentTarget }) =>
    copyText(data.copy, currentTarget.lastElementChild).then(() => announce(words.copied));
  const confirm = () => {
    if (!data.confirmed) tell("react", { turn: turn.id, reaction: "confirm" });
    else if (data.kept) tell("undo", { entry: data.kept });
  };
  const why = () => {
    toggle(card, "isWhy")();
    if (card.isWhy) card.root.querySelector(".why").scrollIntoView({ block: "nearest" });
  };
  const isPressed = Boolean(data.confirmed);
  const look = data.can?.examples ? "" : "accent"; // what the small model can't answer is no misunderstanding
  return [
    used ? html`<strong class="noted">${used}</strong>` : nothing,
    mayCorrect ? action("correct", "✎", words.no_i_meant, () => openMeaning(card), {}, look) : nothing,
    isOpen && data.can.confirm ? action("right", "✓", words.yes, confirm, { isPressed }) : nothing,
    isOpen && data.can.retry ? action("retry", "↻", again, () => answerAgain(card, "retry")) : nothing,
    isWhy ? action("why", "", words.why_this, why, { isExpanded: Boolean(card.isWhy) }) : nothing,
    isOpen && data.copy ? action("copy", "⧉", words.copy, copy) : nothing,
    offersModel(card) ? connectButton("chip", words.start_connect) : nothing,
    isOpen && data.leads ? action("memory", "", words.tab_memory, () => tellPage("tab", "memory")) : nothing,
    isOpen && data.can.examples && card === talk.cards.at(-1) ? exampleButtons(writtenIn(data.question)) : nothing,
  ];
}

function action(name, icon, label, onClick, more = {}, look = "") {
  const press = (event) => {
    say(""); // clear the message of the previous action
    onClick(event);
  };
  const sign = icon ? html`<span aria-hidden="true">${icon}</span> ` : nothing;
  return button(`chip ${look}`, html`${sign}<span>${label}</span>`, press, { act: name, ...more });
}

// Render the entry that a turn saved, with Undo, further actions, and its reach; or only the earlier answer.
function savedLine(card) {
  const { id, data: { noted = null, state = "" } = {} } = card.now.noted ?? {};
  if (!noted || state === "undone") return beforeButton(card);
  const said = noted.said ? html` <q dir="auto">${noted.said}</q>` : nothing;
  const title = html`<span><strong class="noted">${noted.said ? words.fact_noted : savedAs(card.now)}</strong>${said}</span>`;
  if (!noted.entry) return [title, beforeButton(card)];
  const undo = button("link", words.undo, () => tell("undo", { entry: noted.entry }), { act: "undo" });
  return [title, undo, moreView(card, id, noted), noted.asserts ? nothing : reachView(id, noted)];
}

/** Return the confirmation that something was saved, or that it changed nothing. */
export function savedAs({ isOpen, isAsBefore, data, noted }) {
  if (noted.data.noted.said || !isOpen || !isAsBefore || data.error || data.notice) return words.message_noted;
  return !data.followed && page.models?.isSmall ? words.not_followed : words.followed_as_before;
}

// Render two choices of reach, and "only this chat" if it is selected in the menu.
function reachView(turn, noted) {
  // An offered entry can be changed in Memory only.
  if (noted.offered) return html`<span class="hint">${words.correction_offered}</span>`;
  const isHere = noted.reach === "conversation";
  const choices = ["question", "way", ...(isHere ? ["conversation"] : [])];
  // The radio button changes only when the server confirms.
  const choose = (reach) => (event) => {
    event.preventDefault();
    if (reach !== noted.reach) tell("reach", { turn, reach });
  };
  const choice = (
    reach,
  ) => html`<label class="chip"><input class="visually-hidden" type="radio" name="reach-${turn}" value=${reach}
    .checked=${live(reach === noted.reach)} @click=${choose(reach)} /><span>${words[`reach_${reach}`]}</span></label>`;
  return html`<span class="row" role="radiogroup" aria-label=${words.reach_label}
      title=${noted.title ? filled(words.reach_title, { title: noted.title }) : nothing}>
      <span class="hint" aria-hidden="true">${words.reach_label}</span><span class="row segments">${choices.map(choice)}</span>
    </span>`;
}

// Render further actions, folded if there are several. An entry for this chat only cannot be offered.
function moreView(card, turn, noted) {
  const forms = formsIn((card.parts.saved ??= {}), () => showCard(card));
  const isMore = forms.isOpen("more");
  const unfold = () => (isMore ? forms.close("more") : forms.open("more"));
  const send = (event, data = {}) => {
    forms.close("offer");
    forms.close("more");
    tell(event, { turn, ...data });
  };
  const mayReach = !noted.asserts && !noted.offered && noted.reach !== "conversation";
  const acts = [
    mayReach && button("link", words.reach_only_here, () => send("reach", { reach: "conversation" })),
    mayReach && talk.mayOffer && forms.opener("offer", "link", words.correction_offer),
    beforeButton(card),
  ].filter(Boolean);
  if (acts.length < 2) return acts;
  const offering = () => {
    const asked = { question: words.offer_sure, label: words.offer_yes };
    const offer = () => send("offer");
    return confirmation(asked, offer, () => forms.close("offer"));
  };
  const more = button("link", words.more, unfold, { act: "more", isExpanded: isMore });
  return [more, isMore ? (forms.isOpen("offer") ? offering() : acts) : nothing];
}

// Render other meanings of the same question, with a button to replace or keep each.
function othersView(card) {
  const { noted } = card.now;
  const line = (other) => {
    const label = other.counts ? words.count_instead : words.count_beside;
    const place = async () => {
      await tell("relate", { turn: noted.id, other: other.id, place: other.counts ? "instead" : "beside" });
      // The used control has another label then.
      if ([document.body, card.root].includes(document.activeElement))
        card.root.querySelector(`.others [data-id="${other.id}"] button`)?.focus({ preventScroll: true });
    };
    return html`<p class="hint" data-id=${other.id}>${saidOtherwise(other)} ${button("link", label, place)}</p>`;
  };
  return (noted?.data.noted?.others ?? []).map(line);
}

// Render the button that shows or hides the earlier answer, if there is one.
function beforeButton(card) {
  const { isOpen, before, isAsBefore } = card.now;
  if (!isOpen || !before || isAsBefore) return null;
  const isExpanded = Boolean(card.isCompared);
  return button("link", words.compare, toggle(card, "isCompared"), { act: "before", isExpanded });
}

// Render the earlier answer, with its question if that differs.
function beforeView({ before: { data: before }, data }) {
  const question = before.question === data.question ? "" : before.question;
  return html`<p class="hint" dir="auto" ?hidden=${!question}>${question}</p>
    <div class="answer" dir="auto">${safeMarkup(before.answer ?? "")}</div>`;
}
