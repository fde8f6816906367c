// The conversation: its start or its turns, and the composer.

import { html, nothing, render } from "../shared/lit.js";
import { button } from "../shared/panel.js";
import { language, listen, noted, stored, tell, words } from "../shared/server.js";
import { filled, localBytes } from "../shared/text.js";
import { focusField, giveBack, goToField, remember, showComposer, typed } from "./composer.js";
import { cards, lastTurn, leaveFor, refresh, send, stop, STORED_AS, talk } from "./talk.js";

const element = document.getElementById("conversation");
const find = (selector) => element.querySelector(selector);
const addressed = new URLSearchParams(window.location.search).get("c");
const goesOn = Boolean(addressed ?? stored(STORED_AS)); // assumed until the turns arrive

function view() {
  return html`<div class="conversation">
    <section class="start" ?hidden=${goesOn}>
      <h2>${words.start_title}</h2>
      <p class="quiet">${words.start_line}</p>
    </section>
    <section class="turns" aria-label=${words.conversation} @keydown=${pressed}></section>
    <div class="announcer visually-hidden" role="status" aria-live="polite"></div>
    <form class="composer stack"></form>
    <section class="below stack">${belowView()}</section>
  </div>`;
}

// Render example questions, and one line about models.
function belowView() {
  const models = {
    isSmall: true,
    name: "",
    gone: "",
    found: [],
    keys: [],
    mayGet: false,
    getBytes: 0,
    ...noted.models,
  };
  const { isSmall, name, gone, found, keys, mayGet, getBytes } = models;
  const answers = gone || (isSmall ? words.start_small : filled(words.start_answers, { model: lastPart(name) }));
  const further = found.reduce((count, server) => count + server.models.length - 1, 0);
  const get = getBytes ? filled(words.local_get_size, { size: localBytes(getBytes) }) : words.local_title;
  return html`${exampleButtons(language, isSmall)}
    <div class="row start-models hint">
      ${noted.models ? html`<p>${answers}</p>` : nothing}
      ${found.length ? html`<p>${words.start_found}</p>` : nothing}
      ${found.map(serverItem)}
      ${further > 0 ? connectButton("link", filled(words.start_more, { count: further })) : nothing}
      ${keys.map(keyItem)}
      ${mayGet ? connectButton("chip", get, { local: true }) : nothing}
    </div>`;
}

function serverItem({ name, address, models: [model] }) {
  const called = `${name} (${lastPart(model)})`;
  return html`<p><strong>${called}</strong> ${connectButton("chip", words.start_use, { address, model }, called)}</p>`;
}

function keyItem({ provider, variable, model }) {
  return html`<p>${filled(words.start_key, { variable })}
    ${connectButton("chip", words.start_use, { provider, model }, variable)}</p>`;
}

// Return the last part of a model name, without provider and owner.
const lastPart = (name) => name.split("/").at(-1);

/** Render example questions in a language, for the small model or another one. */
export function exampleButtons(spoken = language, isSmall = true) {
  const { small, connected } = noted.panels.conversation.examples;
  const examples = (isSmall ? small : connected)[spoken] ?? [];
  if (!examples.length) return nothing;
  const ask = (question) => {
    send(question);
    focusField();
  };
  const example = (question) => button("chip", question, () => ask(question), { dir: "auto" });
  return html`<div class="row examples" role="group" aria-label=${words.start_examples}>${examples.map(example)}</div>`;
}

/** Render a button that opens the dialog of models with `chosen`; `of` is added to its accessible name. */
export function connectButton(className, label, chosen = {}, of = "") {
  return button(className, label, () => tell("connect", chosen), { about: of });
}

function draw() {
  render(view(), element);
}

// E opens the correction field of a card.
function pressed(event) {
  const card = talk.cards.find(({ root }) => root.contains(event.target));
  const isPlain = event.key.toLowerCase() === "e" && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isPlain || !card?.now.mayCorrect || event.target.matches("textarea, input, select")) return;
  event.preventDefault();
  cards.openMeaning(card);
}

function open(event, data) {
  // On the first load, do not take the focus from an element that the user has moved to.
  const isFirst = !talk.id;
  leaveFor(event, data, (update) => {
    if (update.turns.length) find(".turns").lastElementChild.scrollIntoView({ block: "end" });
    restore(!isFirst || document.activeElement === document.body);
  });
}

// Restore unsent text after a reload, and the focus to continue typing.
function restore(takesFocus) {
  const { question = "", correction } = typed();
  if (question && question.trim() !== lastTurn()?.data.question) giveBack(question);
  else remember({ question: "" });
  const card = talk.turns.get(correction?.turn)?.card;
  if (!card?.now.mayCorrect) return takesFocus && focusField();
  card[correction.isSaved ? "next" : "typed"] = correction.text;
  cards.showCard(card);
  if (!card.next) cards.openMeaning(card);
  else if (!talk.run) cards.answerSaved();
}

talk.longest = noted.limits;
draw();
showComposer(find(".composer"), find(".announcer"), {
  send: (message) => (message.trim() ? send(message) : goToField()),
  stop,
});
listen("memory", refresh);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
listen("fresh", () => open("fresh", {}));
listen("open", (id) => id !== talk.id && open("open", { conversation: id }));
listen("models", () => {
  draw();
  talk.cards.forEach((card) => cards.showCard(card));
});
// The conversation in the address, else the last one.
open(addressed === null ? "go_on" : "open", { conversation: addressed ?? stored(STORED_AS) });
