// The saved line of a card: Undo, reach, other meanings, and the earlier answer.

import { formsIn } from "../shared/forms.js";
import { button, confirmation, saidOtherwise } from "../shared/panel.js";
import { html, live, nothing } from "../shared/lit.js";
import { noted as page, words } from "../shared/server.js";
import { filled } from "../shared/text.js";
import { showCard } from "./cards.js";
import { say } from "./composer.js";
import { safeMarkup } from "./markup.js";
import { talk, tell } from "./talk.js";

/** Render the entry that a turn saved, with Undo, further actions, and its reach; or only the earlier answer. */
export function savedLine(card) {
  const { id, data: { noted = null, state = "" } = {} } = card.now.noted ?? {};
  if (!noted || state === "undone") return beforeButton(card);
  const said = noted.said ? html` <q dir="auto">${noted.said}</q>` : nothing;
  const title = html`<span><strong class="noted">${noted.said ? words.fact_noted : savedAs(card.now)}</strong>${said}</span>`;
  if (!noted.entry) return [title, beforeButton(card)];
  const undo = button("link", words.undo, () => tell("undo", { entry: noted.entry }), { act: "undo" });
  return [title, undo, moreView(card, id, noted), noted.asserts ? nothing : reachView(id, noted)];
}

/** Return the confirmation that something was saved, or that it changed nothing. */
export function savedAs({ isOpen, isAsBefore, data }) {
  if (!isOpen || !isAsBefore || data.error || data.notice) return words.message_noted;
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
  const choice = (reach) => html`<label><input class="visually-hidden" type="radio" name="reach-${turn}" value=${reach}
    .checked=${live(reach === noted.reach)} @click=${choose(reach)} /><span>${words[`reach_${reach}`]}</span></label>`;
  return html`<span class="row" role="radiogroup" aria-label=${words.reach_label}
      title=${noted.title ? filled(words.reach_title, { title: noted.title }) : nothing}>
      <span class="hint" aria-hidden="true">${words.reach_label}</span><span class="segments">${choices.map(choice)}</span>
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
  const asked = { question: words.offer_sure, label: words.offer_yes, keep: words.cancel, look: "primary" };
  const mayReach = !noted.asserts && !noted.offered && noted.reach !== "conversation";
  const acts = [
    mayReach && button("link", words.reach_only_here, () => send("reach", { reach: "conversation" })),
    mayReach && talk.mayOffer && forms.opener("offer", "link", words.correction_offer),
    beforeButton(card),
  ].filter(Boolean);
  if (acts.length < 2) return acts;
  const offering = () =>
    confirmation(
      asked,
      () => send("offer"),
      () => forms.close("offer"),
    );
  const more = button("link", words.more, unfold, { act: "more", isExpanded: isMore });
  return [more, isMore ? (forms.isOpen("offer") ? offering() : acts) : nothing];
}

/** Render other meanings of the same question, with a button to replace or keep each. */
export function othersView(card) {
  const { noted } = card.now;
  const line = (other) => {
    const label = other.counts ? words.count_instead : words.count_beside;
    const place = async () => {
      await tell("place", { turn: noted.id, other: other.id, instead: other.counts });
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
  const compare = () => {
    say(""); // clear the message of the previous action
    card.isCompared = !card.isCompared;
    showCard(card);
  };
  return button("link", words.compare, compare, { act: "before", isExpanded: card.isCompared });
}

/** Render the earlier answer, with its question if that differs. */
export function beforeView({ before: { data: before }, data }) {
  const question = before.question === data.question ? "" : before.question;
  return html`<p class="hint" dir="auto" ?hidden=${!question}>${question}</p>
    <div class="answer" dir="auto">${safeMarkup(before.answer ?? "")}</div>`;
}
