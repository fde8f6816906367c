// The conversation: the start, with questions to click and which models could answer, or the turns; and below them the field
// to write in.

import { html, nothing, render } from "../shared/lit.js";
import { button } from "../shared/panel.js";
import { language, listen, noted, tell, words } from "../shared/server.js";
import { filled, localNumber } from "../shared/text.js";
import { focusField, giveBack, goToField, remember, showComposer, text, typed, write } from "./composer.js";
import { cards, lastTurn, leaveFor, refresh, send, stop, stored, talk } from "./talk.js";

const MOST_FOUND = 5; // models of a server in sight; more are folded
const element = document.getElementById("conversation");
const find = (selector) => element.querySelector(selector);

function view() {
  return html`<div class="conversation">
    <section class="start" hidden></section>
    <section class="turns" aria-label=${words.conversation} @keydown=${pressed}></section>
    <div class="announcer visually-hidden" role="status" aria-live="polite"></div>
    <form class="composer"></form>
  </div>`;
}

// E opens the field of a card.
function pressed(event) {
  const card = talk.cards.find(({ root }) => root.contains(event.target));
  const isPlain = event.key.toLowerCase() === "e" && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isPlain || !card?.now.mayCorrect || event.target.matches("textarea, input, select")) return;
  event.preventDefault();
  cards.openMeaning(card, cards.sentenceOf(card));
}

function open(event, data) {
  // A page that has just been loaded takes the focus from nothing that somebody has gone to meanwhile.
  const isFirst = !talk.id;
  leaveFor(event, data, (update) => {
    if (update.turns.length) find(".turns").lastElementChild.scrollIntoView({ block: "end" });
    restore(!isFirst || document.activeElement === document.body);
  });
}

// Puts back what was typed before the page was loaded again, and the focus where one goes on writing.
function restore(takesFocus) {
  const { draft = "", question = "", correction, waiting = [] } = typed();
  if (!text()) write(draft);
  for (const message of waiting.toReversed()) giveBack(message);
  remember({ waiting: [] });
  if (question && question.trim() !== lastTurn()?.data.question) giveBack(question);
  else remember({ question: "" });
  const card = talk.turns.get(correction?.turn)?.card;
  if (!card?.now.mayCorrect) return takesFocus && focusField();
  card.typed = correction.isSaved ? "" : correction.text;
  card.next = correction.isSaved ? correction.text : "";
  cards.showCard(card);
  if (!card.next) cards.openMeaning(card, "");
  else if (!talk.run) cards.answerSaved();
}

const drawStart = () => render(startView(), find(".start"));

function startView() {
  const examples = exampleButtons();
  return html`<h2 class="start-title">${words.start_title}</h2>
    <p class="start-line">${words.start_line}</p>
    ${examples === nothing ? nothing : html`<p class="hint">${words.start_examples}</p>${examples}`}
    ${modelsView(noted.models ?? {})}`;
}

/** Questions to click, in a language. */
export function exampleButtons(spoken = language) {
  const examples = noted.panels.conversation.examples[spoken] ?? [];
  if (!examples.length) return nothing;
  const example = (question) =>
    html`<button class="chip" type="button" dir="auto" @click=${() => {
      send(question);
      focusField();
    }}>${question}</button>`;
  return html`<div class="examples" role="group" aria-label=${words.start_examples}>${examples.map(example)}</div>`;
}

function modelsView({ isSmall = false, mayConnect = false, mayGet = false, found = [], keys = [] }) {
  const key = ({ provider, variable, model }) =>
    connectButton("chip", variable, { provider, model }, filled(words.start_key, { variable, provider }));
  return html`<div class="start-models" ?hidden=${!isSmall}>
    <div class="start-acts"><p class="hint">${words.start_small}</p>
      ${mayConnect ? connectButton("link accent", words.start_connect, {}) : nothing}
      ${mayGet ? connectButton("link accent", words.local_title, { local: true }) : nothing}</div>
    ${found.map(serverRow)}${keys.length ? row(words.start_keys, keys.map(key)) : nothing}
  </div>`;
}

function serverRow({ name, address, models }) {
  const use = (model) => {
    const called = model.slice(model.indexOf("/") + 1);
    const chosen = { provider: "", address, model };
    return connectButton("chip", called.split("/").at(-1), chosen, filled(words.start_use, { model: called }));
  };
  return row(filled(words.start_found, { server: name }), models.map(use));
}

function row(label, buttons) {
  const [shown, folded] = [buttons.slice(0, MOST_FOUND), buttons.slice(MOST_FOUND)];
  const more = () => html`<details class="start-more">
    <summary class="hint">${filled(words.start_more, { count: localNumber(folded.length) })}</summary>
    <div class="examples">${folded}</div>
  </details>`;
  return html`<div class="start-row" role="group" aria-label=${label}>
    <p class="hint">${label}</p>
    <div class="examples">${shown}</div>
    ${folded.length ? more() : nothing}
  </div>`;
}

/** A button that opens the dialog of models, with what was chosen here. */
export function connectButton(className, label, chosen, whole = label) {
  if (whole === label) return button(className, label, () => tell("connect", chosen));
  return html`<button class=${className} type="button" title=${whole} aria-label=${whole} @click=${() => tell("connect", chosen)}>${label}</button>`;
}

talk.longest = noted.panels.conversation.longest;
render(view(), element);
drawStart();
showComposer(find(".composer"), find(".announcer"), {
  send: (message) => (message.trim() ? send(message) : goToField()),
  stop,
});
listen("memory", refresh);
listen("fresh", () => open("fresh", {}));
listen("open", (id) => id !== talk.id && open("open", { conversation: id }));
listen("models", () => {
  drawStart();
  talk.cards.forEach((card) => cards.showCard(card));
});
const addressed = new URLSearchParams(window.location.search).get("c");
open("begin", { conversation: addressed ?? stored(), addressed: addressed !== null });
