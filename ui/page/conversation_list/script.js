// The list of conversations: open one, search as you type, rename in place, delete in two steps; and the address of each.

const nav = find(".talks");
const searchField = find(".talks-search");
const count = find(".talks-count");
const list = find(".talks-list");
const more = find(".talks-more");

let shown = props.step;
let typing = 0;
let open = "";
let current = { conversations: [], search: "" };
let drawn = [];
let whenClosed = null;
let isAddressed = true; // whether the address is already that of what comes next
let said = ""; // what was done last, until the person does something else

besides = () => ({ search: searchField.value, shown });

function receive(listing) {
  if (listing.done === "talk_erased" && listing.changed === open) tellPage("noted:fresh", "erased");
  // Typed on meanwhile.
  if (listing.search !== searchField.value) return send("look");
  // Somebody is about to rename or delete one.
  if (!listing.done && listing.search === current.search && list.querySelector(".talk-changes")) {
    whenClosed = listing;
    return;
  }
  const hadFocus = list.contains(document.activeElement) || (listing.done && document.activeElement === document.body);
  current = listing;
  if (listing.done) said = [words[listing.done], listing.receipt].filter(Boolean).join(" ");
  show();
  if (hadFocus) (listOpener(listing.changed) ?? searchField).focus();
}

function show() {
  whenClosed = null;
  const { conversations, more: thereIsMore, search, done } = current;
  if (done || !isSame(conversations, drawn)) list.replaceChildren(...conversations.map(item));
  drawn = conversations;
  more.hidden = !thereIsMore;
  const none = search.trim() ? words.talks_found_none : words.talks_none;
  count.textContent = [said, conversations.length ? "" : none].filter(Boolean).join(" ");
  markOpen();
}

function item(talk) {
  const node = make("li", "talk");
  node.dataset.id = talk.id;
  const button = makeButton("talk-open", "", () => {
    said = "";
    tellPage("noted:open", talk.id);
  });
  button.append(makeWritten("span", "talk-title", talk.title));
  if (talk.found && talk.found !== talk.title) button.append(makeWritten("span", "talk-found", talk.found));
  button.title = localTime(talk.when);
  const change = makeButton("button quiet talk-change", "", () => showChanges(talk, node, change));
  change.append(make("span", "", "⋯"));
  change.setAttribute("aria-label", filled(words.talk_change, { title: talk.title }));
  change.setAttribute("aria-expanded", "false");
  node.append(button, change);
  return node;
}

function listOpener(id) {
  return Array.from(list.children).find((node) => node.dataset.id === id)?.querySelector(".talk-change");
}

// What can be done with a conversation, below it; pressed again, nothing.
function showChanges(talk, node, opener) {
  said = "";
  const isOpen = opener.getAttribute("aria-expanded") === "true";
  if (isOpen) return closeChanges(talk.id);
  removeChanges();
  opener.setAttribute("aria-expanded", "true");
  const buttons = make("div", "buttons talk-changes");
  fillChanges(talk, node, buttons);
  node.append(buttons);
  buttons.firstChild.focus({ preventScroll: true });
  node.scrollIntoView({ block: "nearest" });
}

function fillChanges(talk, node, buttons) {
  buttons.classList.remove("asking");
  const rename = makeButton("button small", words.talk_rename, () => openNaming(talk, buttons));
  const erase = makeButton("button small danger", words.talk_erase, () => {
    const asked = { question: words.talk_erase_sure, label: words.talk_erase_yes, keep: words.forget_no, look: "danger filled" };
    const back = () => {
      fillChanges(talk, node, buttons);
      buttons.lastChild.focus({ preventScroll: true });
    };
    buttons.classList.add("asking");
    askTwice(buttons, asked, () => send("erase", { conversation: talk.id }), back);
  });
  buttons.replaceChildren(rename, erase);
  buttons.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    closeChanges(talk.id);
  };
}

function closeChanges(id) {
  removeChanges();
  if (whenClosed) {
    current = whenClosed;
    show();
  }
  listOpener(id)?.focus({ preventScroll: true });
}

function removeChanges() {
  for (const part of list.querySelectorAll(".talk-changes, form")) part.remove();
  for (const button of list.querySelectorAll(".talk-change")) button.setAttribute("aria-expanded", "false");
}

function openNaming(talk, buttons) {
  const form = make("form", "stack talk-changes");
  const name = make("input");
  name.value = talk.title;
  name.dir = "auto";
  name.maxLength = props.longest;
  name.setAttribute("aria-label", words.talk_name);
  const save = make("button", "button small primary", words.save_change);
  save.type = "submit";
  const cancel = () => closeChanges(talk.id);
  const row = make("div", "buttons");
  row.append(save, makeButton("button small", words.cancel, cancel));
  form.append(name, row);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (save.disabled) return;
    if (name.value === talk.title) return cancel();
    save.disabled = true;
    send("rename", { conversation: talk.id, title: name.value });
  });
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    cancel();
  });
  buttons.replaceWith(form);
  name.select();
}

function tellPage(event, id) {
  window.dispatchEvent(new CustomEvent(event, { detail: id }));
}

function markOpen() {
  for (const node of list.children) {
    const isOpen = node.dataset.id === open;
    node.classList.toggle("current", isOpen);
    const button = node.querySelector(".talk-open");
    if (isOpen) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

// A conversation has an address as soon as something was said in it.
function showAddress() {
  const address = new URL(window.location);
  if (document.querySelector("#conversation article")) address.searchParams.set("c", open);
  else address.searchParams.delete("c");
  if (address.href === window.location.href) return;
  history[isAddressed ? "replaceState" : "pushState"](null, "", address);
}

function goToAddress() {
  const wanted = new URL(window.location).searchParams.get("c") ?? "";
  if (wanted === open) return;
  isAddressed = true;
  tellPage(wanted ? "noted:open" : "noted:fresh", wanted);
}

find("h2").textContent = words.talks_title;
nav.setAttribute("aria-label", words.talks_title);
searchField.placeholder = words.talks_search;
searchField.setAttribute("aria-label", words.talks_search);
more.textContent = words.show_more;
searchField.addEventListener("input", () => {
  shown = props.step;
  said = "";
  clearTimeout(typing);
  typing = setTimeout(() => send("look"), 150);
});
more.addEventListener("click", () => {
  shown += props.step;
  send("look");
});
window.addEventListener("noted:talk", ({ detail }) => {
  isAddressed ||= detail === open;
  open = detail;
  showAddress();
  isAddressed = false;
  markOpen();
  send("look");
});
window.addEventListener("popstate", goToAddress);
window.addEventListener("noted:memory", () => send("look"));
listenTo(receive);
