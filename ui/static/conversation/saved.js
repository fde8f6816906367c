// What was saved in a card: for which questions it counts, how it is taken back, what was said otherwise; and the answer
// beside the one whose place it took.

import { button, confirmation, onChosen, saidOtherwise } from "../shared/panel.js";
import { html, live, nothing } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { filled } from "../shared/text.js";
import { showCard } from "./cards.js";
import { safeMarkup } from "./markup.js";
import { talk, tell } from "./talk.js";

/** What was saved by a turn, with *Undo*, and for which questions it counts. */
export function savedLine(card, { id, data: { noted, state } }) {
  if (!noted || state === "undone") return nothing;
  const said = noted.said ? html`<q dir="auto">${noted.said}</q>` : nothing;
  const title = html`<strong class="noted">${noted.said ? words.fact_noted : words.message_noted}</strong>${said}`;
  if (!noted.entry) return title;
  const undo = html`<button class="link" type="button" data-act="undo" @click=${() => tell("undo", { entry: noted.entry })}>${words.undo}</button>`;
  return [title, undo, noted.asserts ? nothing : reachChip(card, id, noted)];
}

function reachChip(card, turn, noted) {
  const canOffer = talk.mayOffer && noted.reach !== "conversation"; // what counts here alone is for nobody else
  const offered = noted.offered ? words.correction_offered : words.correction_offer;
  // While it is offered, that is changed in Memory: another choice here would not show.
  const choices = (noted.offered ? [] : ["way", "question", "conversation"]).map((reach) => [
    reach,
    words[`reach_${reach}`],
  ]);
  if (canOffer || noted.offered) choices.push(["offer", offered]);
  const value = noted.offered ? "offer" : noted.reach;
  const asked = { question: words.offer_sure, label: words.offer_yes, keep: words.cancel, look: "primary" };
  const ask = (isAsked) => {
    card.isOffering = isAsked;
    showCard(card);
    if (!isAsked) card.root.querySelector(".reach").focus({ preventScroll: true });
  };
  const offer = () => {
    ask(false);
    tell("offer", { turn });
  };
  const { changed, ...events } = onChosen(value, (reach) =>
    reach === "offer" ? ask(true) : tell("reach", { turn, reach }),
  );
  return html`<select class="chip reach" data-act="reach" aria-label=${words.reach_label}
      title=${noted.title ? filled(words.reach_title, { title: noted.title }) : nothing}
      @pointerdown=${events.pointed} @keydown=${events.walked} @change=${changed} @blur=${events.left}>
      ${choices.map(([choice, label]) => html`<option value=${choice} .selected=${live(choice === value)}>${label}</option>`)}
    </select>${card.isOffering ? confirmation(asked, offer, () => ask(false)) : nothing}`;
}

/** What the user said otherwise of the same question, and whether it counts beside this. */
export function othersView(card) {
  const { noted } = card.now;
  const line = (other) => {
    const label = other.counts ? words.count_instead : words.count_beside;
    const place = async () => {
      await tell("place", { turn: noted.id, other: other.id, instead: other.counts });
      // The control that was used says something else then.
      if ([document.body, card.root].includes(document.activeElement))
        card.root.querySelector(`.others [data-id="${other.id}"] button`)?.focus({ preventScroll: true });
    };
    return html`<p class="hint" data-id=${other.id}>${saidOtherwise(other)} ${button("link", label, place)}</p>`;
  };
  return (noted?.data.noted?.others ?? []).map(line);
}

/** The answer of before beside that of now. */
export function comparison({ before, data }) {
  const side = (label, { question, understanding, answer }) => html`<section class="compared">
    <h3 class="hint">${label}</h3>
    <p class="visually-hidden" dir="auto">${question}</p>
    <p class="hint" dir="auto">${understanding || words.no_understanding}</p>
    <div class="answer" dir="auto">${safeMarkup(answer ?? "")}</div>
  </section>`;
  return [side(words.compare_before, before.data), side(words.compare_now, data)];
}
