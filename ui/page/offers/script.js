// What people offered to everyone, for a curator: who, when, for what question; accept, edit and accept, decline.

const page = find(".offers-page");
const title = find(".offers-title");
const status = find(".offers-status");
const list = find(".offers-entries");
const more = find(".offers-more");

let offers = null;
let whenClosed = null;
let curates = false;

function receive(listing) {
  curates = listing.curator;
  // Who was never offered anything need not know of it; where they see it already, it stays.
  page.hidden = !curates || (page.hidden && !listing.offers.length);
  if (listing.done) window.dispatchEvent(new CustomEvent("noted:offers"));
  if (!listing.done && list.querySelector("form")) {
    whenClosed = listing;
    return;
  }
  show(listing);
}

function show(listing) {
  const place = (offers ?? []).findIndex((offer) => offer.id === listing.changed);
  whenClosed = null;
  if (listing.done || !isSame(listing.offers, offers)) drawOffers(listing.offers);
  offers = listing.offers;
  const waiting = offers.filter((offer) => offer.state === "offered").length;
  title.textContent = [words.offers_none, words.offers_one][waiting] ?? filled(words.offers_many, { count: localNumber(waiting) });
  more.hidden = !listing.more;
  more.textContent = filled(words.offers_more, { count: localNumber(offers.length) });
  if (!listing.done) return;
  status.textContent = words[listing.done];
  const next = list.children[Math.min(place, offers.length - 1)]?.querySelector("button");
  (next ?? find("summary")).focus({ preventScroll: true });
}

function drawOffers(offered) {
  list.replaceChildren(...offered.map(offerCard));
  if (!offered.length) list.append(make("li", "hint", words.offers_empty));
}

function offerCard(offer) {
  const item = make("li", "memory-entry offer-entry");
  const about = make("div", "entry-about");
  about.append(...offer.told.map((line) => makeWritten("p", "entry-label", line)));
  const by = make("p", "entry-label", `${words.offered_by} `);
  const who = offer.mine ? make("span", "", words.offered_by_you) : offer.who ? makeWritten("span", "", offer.who) : make("span", "", words.offered_by_visitor);
  by.append(who, ` · ${localTime(offer.offered)}`);
  about.append(by);
  if (offer.state === "accepted") {
    about.append(make("p", "entry-offer", filled(words.offer_is_accepted, { when: localTime(offer.when) })));
  }
  const buttons = make("div", "buttons");
  item.append(makeWritten("p", "entry-text", offer.text), about, buttons);
  showButtons(offer, item, buttons);
  return item;
}

function named(button, offer) {
  button.setAttribute("aria-label", `${button.textContent}: ${offer.text}`);
  return button;
}

function showButtons(offer, item, buttons, focused = "") {
  item.querySelector(":scope > form")?.remove();
  const accept = named(makeButton("button small accent", words.offer_accept, () => {
    const asked = { question: words.offer_accept_sure, label: words.offer_accept, keep: words.cancel, look: "primary" };
    askTwice(buttons, asked, () => acceptAs(offer, offer.text), () => showButtons(offer, item, buttons, "accept"));
  }), offer);
  const edit = named(makeButton("button small", words.offer_edit, () => openForm(offer, item, buttons, editing(offer))), offer);
  const shared = offer.state === "accepted";
  const decline = named(makeButton("button small danger", shared ? words.offer_end : words.offer_decline, () =>
    openForm(offer, item, buttons, declining(offer, shared)),
  ), offer);
  buttons.replaceChildren(...(shared ? [decline] : [accept, edit, decline]));
  ({ accept, edit, decline })[focused]?.focus({ preventScroll: true });
}

// What is accepted is what the curator saw, or nothing.
function acceptAs(offer, text) {
  send("accept", { offer: offer.id, text, seal: offer.seal });
}

function editing(offer) {
  return {
    back: "edit", label: words.offer_edit_label, value: offer.text, save: words.offer_edit_save, longest: props.longest,
    submit: (text) => acceptAs(offer, text),
  };
}

function declining(offer, shared) {
  return {
    back: "decline", label: words.offer_reason_label, value: "", longest: props.longest_reason, optional: true,
    save: shared ? words.offer_end : words.offer_decline,
    submit: (reason) => send("decline", { offer: offer.id, reason }),
  };
}

function openForm(offer, item, buttons, { back, label: says, value, save: saves, longest, optional = false, submit }) {
  const form = make("form", "stack entry-form");
  const label = make("label", "", says);
  const field = make("textarea");
  field.dir = "auto";
  field.rows = 2;
  field.value = value;
  field.id = label.htmlFor = `offer-${offer.id}`;
  const save = make("button", "button small primary", saves);
  save.type = "submit";
  const close = () => {
    showButtons(offer, item, buttons, back);
    if (whenClosed && !list.querySelector("form")) show(whenClosed);
  };
  const row = make("div", "buttons");
  row.append(save, makeButton("button small", words.cancel, close));
  form.append(label, field, row);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (save.disabled || (!optional && !field.value.trim())) return;
    const refused = tooLong(field.value, longest);
    if (refused) return refuse(refused);
    save.disabled = true;
    submit(field.value);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
  buttons.replaceChildren();
  item.append(form);
  growToFit(field);
  field.focus({ preventScroll: true });
}

find(".offers-hint").textContent = words.offers_hint;
window.addEventListener("noted:memory", () => curates && send("look"));
listenTo(receive);
