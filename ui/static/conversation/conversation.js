// The conversation: its start or its turns, and the composer.

import { html, render } from "../shared/lit.js";
import { listen, noted, stored, words } from "../shared/server.js";
import { belowView, greetingView } from "./start.js";
import { focusField, giveBack, goToField, remember, showComposer, typed, write } from "./composer.js";
import { cards, lastTurn, leaveFor, refresh, send, stop, STORED_AS, talk } from "./talk.js";

const element = document.getElementById("conversation");
const find = (selector) => element.querySelector(selector);
const addressed = new URLSearchParams(window.location.search).get("c");
const goesOn = Boolean(addressed ?? stored(STORED_AS)); // assumed until the turns arrive

function view() {
  return html`<div class="conversation">
    <section class="start" ?hidden=${goesOn}>${greetingView()}</section>
    <section class="turns" aria-label=${words.conversation} @keydown=${pressed}></section>
    <div class="announcer visually-hidden" role="status" aria-live="polite"></div>
    <form class="composer"></form>
    <section class="below">${belowView()}</section>
  </div>`;
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
  const { question = "", correction, waiting = [] } = typed();
  for (const message of waiting.toReversed()) giveBack(message);
  remember({ waiting: [] });
  if (question && question.trim() !== lastTurn()?.data.question) giveBack(question);
  else remember({ question: "" });
  const card = talk.turns.get(correction?.turn)?.card;
  if (!card?.now.mayCorrect) return takesFocus && focusField();
  card.typed = correction.isSaved ? "" : correction.text;
  card.next = correction.isSaved ? correction.text : "";
  cards.showCard(card);
  if (!card.next) cards.openMeaning(card);
  else if (!talk.run) cards.answerSaved();
}

talk.longest = noted.panels.conversation.longest;
draw();
showComposer(find(".composer"), find(".announcer"), {
  send: (message) => (message.trim() ? send(message) : goToField()),
  stop,
});
write(typed().draft ?? ""); // at once: the server may take long to answer, or not be reached
listen("memory", refresh);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
listen("fresh", () => open("fresh", {}));
listen("open", (id) => id !== talk.id && open("open", { conversation: id }));
listen("models", () => {
  draw();
  talk.cards.forEach((card) => cards.showCard(card));
});
open("begin", { conversation: addressed ?? stored(STORED_AS), addressed: addressed !== null });
