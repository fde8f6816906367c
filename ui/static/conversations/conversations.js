// The list of conversations by day: begin, open, search as you type, rename in place, delete after confirmation; and
// the address of each.

import { html, nothing, repeat } from "../shared/lit.js";
import {
  button,
  createControls,
  createPanel,
  debounced,
  onEscape,
  problemLine,
  searchField,
  written,
} from "../shared/panel.js";
import { listen, tell, words } from "../shared/server.js";
import { dayName, filled, groupedBy, localTime } from "../shared/text.js";

const panel = createPanel("conversations", { view, receive, besides: () => ({ search: searched().value, shown }) });
const { step, longest } = panel.props;
const opened = new Map();
const forms = createControls(panel, { opened, left: "" });
let shown = step;
let open = "";
let listing = { conversations: [], search: "", more: false };
let changing = ""; // id of the conversation whose buttons are open
let isAddressed = true; // whether the address belongs to the next conversation already

const searchSoon = debounced(() => {
  [shown, panel.said] = [step, ""];
  panel.look();
}, 150);
const find = (selector) => /** @type {any} */ (document.querySelector(`.talks ${selector}`)); // it may be in the drawer
const searched = () => find(".talks-search");
const opener = (id) => find(`[data-id="${id}"] .talk-change`);

function receive(told, sent) {
  if (told.done === "talk_erased" && told.changed === open) tell("fresh", "erased");
  if (sent.search !== searched().value) return panel.look(); // the search text has changed since
  const hadFocus = find(".talks-list").contains(document.activeElement);
  listing = { ...told, search: sent.search };
  if (!told.done) return;
  changing = "";
  panel.say([words[told.done], told.receipt].filter(Boolean).join(" "));
  if (hadFocus || document.activeElement === document.body) (opener(told.changed) ?? searched()).focus();
}

function view() {
  const { conversations, search, more } = listing;
  const none = search.trim() ? words.talks_found_none : words.talks_none;
  const showMore = () => {
    shown += step;
    panel.look();
  };
  return html`<nav class="talks stack small" aria-label=${words.talks_title}>
    <h2 class="visually-hidden">${words.talks_title}</h2>
    <div>${button("button", `+ ${words.new_conversation}`, () => tell("fresh"))}</div>
    ${searchField("talks-search", words.talks_search, searchSoon)}
    ${problemLine(panel)}
    <p class="hint" role="status" aria-live="polite">${[panel.said, conversations.length ? "" : none].filter(Boolean).join(" ")}</p>
    <ul class="talks-list">${search.trim() ? rows(conversations) : repeat(groupedBy(conversations, dayOf), ([day]) => day, dayGroup)}</ul>
    ${button("button small", words.show_more, showMore, { isHidden: !more })}
  </nav>`;
}

const dayOf = ({ when }) => dayName(when);
const rows = (talks) => repeat(talks, ({ id }) => id, item);
const dayGroup = ([day, talks]) => html`<li><h3 class="hint">${day}</h3></li>${rows(talks)}`;

function item(talk) {
  const { id, title, found, when } = talk;
  const isOpen = id === open;
  const isChanging = id === changing;
  const go = () => {
    panel.said = "";
    tell("open", id);
  };
  const turn = () => (isChanging ? close() : change(id));
  return html`<li class="talk ${isOpen ? "current" : ""}" data-id=${id}>
    <button class="talk-open" type="button" title=${localTime(when)} aria-current=${isOpen ? "true" : nothing} @click=${go}>
      ${written(title)}${found && found !== title ? html`<em dir="auto">${found}</em>` : nothing}
    </button>
    ${button("button quiet talk-change", "⋯", turn, { name: filled(words.talk_change, { title }), isExpanded: isChanging })}
    ${isChanging ? html`<div class="talk-changes">${changes(talk)}</div>` : nothing}
  </li>`;
}

// Render the buttons below a conversation, or what one of them opened.
function changes({ id, title }) {
  if (forms.isOpen("name")) {
    const how = { save: words.save_change, longest };
    const rename = (name) => (name === title ? close() : panel.send("rename", { conversation: id, title: name }));
    return forms.form("name", [{ label: words.talk_name, value: title }], how, rename);
  }
  if (forms.isOpen("erase")) {
    const asked = { question: words.talk_erase_sure, label: words.talk_erase_yes, isErasing: true };
    return forms.question("erase", asked, () => panel.send("erase", { conversation: id }));
  }
  return html`<div class="buttons" @keydown=${onEscape(close)}>
    ${forms.opener("name", "button small", words.talk_rename)} ${forms.opener("erase", "button small", words.talk_erase)}
  </div>`;
}

function change(id) {
  changing = id;
  opened.clear();
  panel.say("");
  find(`[data-id="${id}"] .talk-changes button`).focus();
}

function close() {
  const id = changing;
  changing = "";
  opened.clear();
  panel.draw();
  opener(id)?.focus({ preventScroll: true });
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
  panel.look();
});
listen("memory", panel.look);
panel.draw();
