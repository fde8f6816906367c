// Offers of users, for curators: who, when, for which question; accept, edit and accept, decline.

import { html, nothing, repeat } from "../shared/lit.js";
import { createControls, createPanel, saidLines, written } from "../shared/panel.js";
import { listen, tell, words } from "../shared/server.js";
import { filled, howMany, localTime } from "../shared/text.js";

const panel = createPanel("offers", { view, receive });
const controls = createControls(panel);
let listing = { offers: [], curator: false, more: false };
let isShown = false;

function receive(told) {
  // Hide the section from curators without offers, unless it is shown already.
  isShown = told.curator && (isShown || told.offers.length > 0);
  // Do not redraw an offer while the curator types about it.
  if (told.done || !controls.losesTyped(told.offers)) listing = told;
}

async function decide(name, event, data) {
  const place = listing.offers.findIndex(({ id }) => id === data.offer);
  const told = await controls.send(name, event, data);
  if (!told) return null;
  tell("offers");
  panel.say(words[told.done]);
  const items = panel.element.querySelectorAll(".offer-entry");
  const next = items[Math.min(place, items.length - 1)]?.querySelector("button");
  (next ?? panel.find("summary")).focus({ preventScroll: true });
  return told;
}

function view() {
  const { offers, more } = listing;
  const waiting = offers.filter(({ state }) => state === "offered").length;
  const title = waiting ? howMany("offers", waiting) : words.offers_none;
  return html`<section class="stack offers-page" aria-labelledby="noted-offers" ?hidden=${!isShown}>
    <details class="offers">
      <summary><h2 id="noted-offers">${title}</h2></summary>
      <p class="hint">${words.offers_hint}</p>
      <ul class="rows">${
        offers.length ? repeat(offers, ({ id }) => id, offerCard) : html`<li class="hint">${words.offers_empty}</li>`
      }</ul>
      <p class="hint" ?hidden=${!more}>${filled(words.offers_more, { count: offers.length })}</p>
    </details>
    ${saidLines(panel)}
  </section>`;
}

function offerCard(offer) {
  const who = offer.mine ? words.offered_by_you : offer.who ? written(offer.who) : words.offered_by_visitor;
  const since = filled(words.offer_is_accepted, { when: localTime(offer.when) });
  return html`<li class="memory-entry offer-entry" data-id=${offer.id}>
    <p class="entry-text" dir="auto">${offer.text}</p>
    <div>
      ${offer.told.map((line) => html`<p class="hint" dir="auto">${line}</p>`)}
      <p class="hint">${words.offered_by} ${who} · ${localTime(offer.offered)}</p>
      ${offer.state === "accepted" ? html`<p class="small">${since}</p>` : nothing}
    </div>
    ${decision(offer)}
  </li>`;
}

// Render the decision: buttons, or the form that one opened. The seal ensures that curators accept what they saw.
function decision({ id, text, seal, state }) {
  const { isOpen, open, question, form } = controls;
  const { longest, longest_reason: longestReason } = panel.props;
  const [accept, edit, decline] = ["accept", "edit", "decline"].map((kind) => `${id} ${kind}`);
  const isAccepted = state === "accepted";
  const end = isAccepted ? words.offer_end : words.offer_decline;
  const acceptAs = (name, as) => decide(name, "accept", { offer: id, text: as, seal });
  if (isOpen(accept)) {
    const asked = { question: words.offer_accept_sure, label: words.offer_accept };
    return question(accept, asked, () => acceptAs(accept, text));
  }
  if (isOpen(edit)) {
    const field = { label: words.offer_edit_label, value: text, isLong: true, isNeeded: true };
    return form(edit, [field], { save: words.offer_edit_save, longest }, (as) => acceptAs(edit, as));
  }
  if (isOpen(decline)) {
    const field = { label: words.offer_reason_label, isLong: true };
    const declineFor = (reason) => decide(decline, "decline", { offer: id, reason });
    return form(decline, [field], { save: end, longest: longestReason }, declineFor);
  }
  const control = (name, look, label) => controls.control(name, look, label, () => open(name), text);
  return html`<div class="buttons">
    ${isAccepted ? nothing : [control(accept, "accent", words.offer_accept), control(edit, "", words.offer_edit)]}
    ${control(decline, "", end)}
  </div>`;
}

export const { look } = panel;

listen("memory", () => listing.curator && look());
panel.draw();
