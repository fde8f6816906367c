// The list of conversations by day: begin, open, search as you type, rename in place, delete after confirmation; and
// the address of each.

import { html, nothing, ref, repeat } from "../shared/lit.js";
import { button, confirmation, createPanel, focused, onEscape, problemLine, written } from "../shared/panel.js";
import { listen, tell, words } from "../shared/server.js";
import { dayName, filled, localTime } from "../shared/text.js";

const SEARCH_MS = 150;

const panel = createPanel("conversations", { view, receive, besides: () => ({ search: searchField().value, shown }) });
const { step, longest } = panel.props;
let shown = step;
let typing = 0;
let open = "";
let listing = { conversations: [], search: "", more: false };
let whenClosed = null; // update received while a conversation is being changed
let changing = ""; // id of that conversation
let form = ""; // what is open below it: "naming", "erasing" or the buttons
let said = ""; // confirmation of the last action
let isAddressed = true; // whether the address belongs to the next conversation already

const find = (selector) => /** @type {any} */ (document.querySelector(`.talks ${selector}`)); // it may be in the drawer
const searchField = () => find(".talks-search");
const opener = (id) => find(`[data-id="${id}"] .talk-change`);

function receive(told) {
  if (told.done === "talk_erased" && told.changed === open) tell("fresh", "erased");
  if (told.search !== searchField().value) return panel.send("look"); // the search text has changed since
  if (!told.done && told.search === listing.search && changing) {
    whenClosed = told;
    return;
  }
  const hadFocus = find(".talks-list").contains(document.activeElement);
  listing = told;
  if (!told.done) return;
  said = [words[told.done], told.receipt].filter(Boolean).join(" ");
  changing = "";
  panel.draw();
  if (hadFocus || document.activeElement === document.body) (opener(told.changed) ?? searchField()).focus();
}

function view() {
  const { conversations, search, more } = listing;
  const none = search.trim() ? words.talks_found_none : words.talks_none;
  const searched = () => {
    shown = step;
    said = "";
    clearTimeout(typing);
    typing = setTimeout(() => panel.send("look"), SEARCH_MS);
  };
  const showMore = () => {
    shown += step;
    panel.send("look");
  };
  return html`<nav class="talks stack small" aria-label=${words.talks_title}>
    <h2 class="visually-hidden">${words.talks_title}</h2>
    ${button("button talks-fresh", `+ ${words.new_conversation}`, () => tell("fresh"))}
    <input class="talks-search" type="search" dir="auto" autocomplete="off" maxlength="500" placeholder=${words.talks_search} aria-label=${words.talks_search} @input=${searched} />
    ${problemLine(panel)}
    <p class="hint" role="status" aria-live="polite">${[said, conversations.length ? "" : none].filter(Boolean).join(" ")}</p>
    <ul class="talks-list">${repeat(
      byDay(conversations),
      ({ id, day }) => id ?? day,
      (one) => (one.id ? item(one) : dayItem(one)),
    )}</ul>
    <button class="button small" type="button" ?hidden=${!more} @click=${showMore}>${words.show_more}</button>
  </nav>`;
}

// Group conversations by day; search results show the matching text instead.
function byDay(conversations) {
  let before = listing.search.trim() ? null : "";
  return conversations.flatMap((talk) => {
    const day = dayName(talk.when);
    if (before === null || day === before) return [talk];
    before = day;
    return [{ day }, talk];
  });
}

const dayItem = ({ day }) => html`<li class="talk-day"><h3 class="hint">${day}</h3></li>`;

function item(talk) {
  const { id, title, found, when } = talk;
  const isOpen = id === open;
  const isChanging = id === changing;
  const go = () => {
    said = "";
    tell("open", id);
  };
  return html`<li class="talk ${isOpen ? "current" : ""}" data-id=${id}>
    <button class="talk-open" type="button" title=${localTime(when)} aria-current=${isOpen ? "true" : nothing} @click=${go}>
      ${written(title, "talk-title")}${found && found !== title ? written(found, "talk-found") : nothing}
    </button>
    <button class="button quiet talk-change" type="button" aria-label=${filled(words.talk_change, { title })} aria-expanded=${String(isChanging)} @click=${() => (isChanging ? close() : change(id, ""))}><span>⋯</span></button>
    ${isChanging ? changes(talk) : nothing}
  </li>`;
}

// Open or close the buttons below a conversation.
function changes(talk) {
  if (form === "naming") return namingForm(talk);
  if (form === "erasing") {
    const asked = {
      question: words.talk_erase_sure,
      label: words.talk_erase_yes,
      keep: words.forget_no,
      look: "danger filled",
    };
    const erase = () => panel.send("erase", { conversation: talk.id });
    return html`<div class="talk-changes asking">${confirmation(asked, erase, () => change(talk.id, "erased"))}</div>`;
  }
  return html`<div class="buttons talk-changes" @keydown=${onEscape(close)}>
    <button class="button small" type="button" @click=${() => change(talk.id, "naming")} ${ref(form ? undefined : focused)}>${words.talk_rename}</button>
    <button class="button small danger" type="button" @click=${() => change(talk.id, "erasing")} ${ref(form ? focused : undefined)}>${words.talk_erase}</button>
  </div>`;
}

function change(id, what) {
  said = "";
  [changing, form] = [id, what];
  panel.draw();
  find(`[data-id="${id}"]`).scrollIntoView({ block: "nearest" });
}

function close() {
  const id = changing;
  changing = "";
  if (whenClosed) listing = whenClosed;
  whenClosed = null;
  panel.draw();
  opener(id)?.focus({ preventScroll: true });
}

function namingForm({ id, title }) {
  const submit = (event) => {
    event.preventDefault();
    const name = event.target.elements[0].value;
    if (name === title) close();
    else if (!panel.isAwaited) panel.send("rename", { conversation: id, title: name });
  };
  const selected = (field) => {
    if (!field || field === document.activeElement) return;
    field.value = title;
    queueMicrotask(() => field.select());
  };
  return html`<form class="stack talk-changes" @submit=${submit} @keydown=${onEscape(close)}>
    <input dir="auto" maxlength=${longest} aria-label=${words.talk_name} ${ref(selected)} />
    <div class="buttons"><button class="button small primary" type="submit">${words.save_change}</button>${button("button small", words.cancel, close)}</div>
  </form>`;
}

// A conversation gets an address with its first message.
function showAddress() {
  const address = new URL(window.location.href);
  if (document.querySelector("#conversation article")) address.searchParams.set("c", open);
  else address.searchParams.delete("c");
  if (address.href !== window.location.href) history[isAddressed ? "replaceState" : "pushState"](null, "", address);
}

window.addEventListener("popstate", () => {
  const wanted = new URL(window.location.href).searchParams.get("c") ?? "";
  if (wanted === open) return;
  isAddressed = true;
  tell(wanted ? "open" : "fresh", wanted);
});
listen("talk", (id) => {
  isAddressed ||= id === open;
  if (id !== open) changing = "";
  open = id;
  showAddress();
  isAddressed = false;
  panel.draw();
  panel.send("look");
});
listen("memory", () => panel.send("look"));
panel.draw();
