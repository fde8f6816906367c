// Card parts (`CardPart` in `ui/server/services.py`), each with a script of its own.

import { html, nothing } from "../shared/lit.js";
import { noted as page, words } from "../shared/server.js";
import { showCard } from "./cards.js";
import { answerAgain, talk } from "./talk.js";

const LINES = ["facts", "lessons"]; // in the card itself; others are in "Why this answer"
const views = {}; // by name, loaded on first use

const isTold = ({ parts }, name) => (parts?.[name] ?? null) !== null;
// Parts that ask about the message are in the card itself, too.
const isLine = ({ parts }, name) => LINES.includes(name) || Boolean(parts?.[name]?.asks);

/** Return the names of the parts in the card itself. */
export const lines = (data) => page.card_parts.filter((name) => isLine(data, name));

/** Return the names of the parts in "Why this answer" with data for an answer. */
export const reasons = (data) => page.card_parts.filter((name) => isTold(data, name) && !isLine(data, name));

/** Load the scripts of parts in the cards of turns. */
export async function loadParts(turns) {
  const names = new Set(turns.flatMap((data) => lines(data).filter((name) => isTold(data, name))));
  await Promise.all([...names].map(load));
}

// If its script cannot be loaded, the part shows an error.
async function load(name) {
  const lost = { default: () => html`<p class="problem">${words.lost}</p>` };
  views[name] = (await import(`../parts/${name}.js`).catch(() => lost)).default;
}

/** Return the action of a part of a card, its local state, and the function that renders it. */
export function partOf(card, name) {
  const act = (acted) => {
    const items = [...card.root.querySelectorAll(`.part-${name} li`)];
    card.acted = { name, place: items.indexOf(document.activeElement.closest("li")) };
    answerAgain(card, "act", { part: name, told: acted });
  };
  return { act, state: (card.parts[name] ??= {}), redraw: () => showCard(card) };
}

/** Render a part, with its local state in `state`. */
export function partView(card, name) {
  const { data, isOpen } = card.now;
  const told = isTold(data, name) ? data.parts[name] : null;
  if (told !== null && !views[name]) {
    views[name] = () => nothing;
    load(name).then(() => talk.cards.forEach(showCard));
  }
  const { act, state, redraw } = partOf(card, name);
  const view = told === null ? nothing : views[name](told, isOpen ? act : null, state, redraw);
  return html`<div class="part-${name} card-part stack small underlined" ?hidden=${view === nothing}>${view}</div>`;
}
