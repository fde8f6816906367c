// The header: name, tabs for the panels, language, settings, notices, account and model. On a phone the tabs are a bar
// at the bottom, and a drawer holds the rest, with the conversations.

import "../conversation/conversation.js";
import "../conversations/conversations.js";
import { html, nothing, render } from "../shared/lit.js";
import { button, closeButton, createPanel, languageList } from "../shared/panel.js";
import { hasOwnModel, listen, mayConnect, noted, store, stored, tell, words } from "../shared/server.js";
import { filled } from "../shared/text.js";

const PANES = { chat: "talk", memory: "memory-pane", teach: "teach-pane", insights: "insights-pane" };
const KNOWN = "noted-known"; // notices dismissed in this browser session
const OWN_TAB = "noted-own-tab";
const panels = {}; // modules of opened panels
const left = stored(OWN_TAB, "sessionStorage"); // the page whose model lasted until it was reloaded as this one

export const panel = createPanel("header", { view, receive });

/**
 * The models: that of the `host`, the user's `own` for this page, and on this machine those `found`, provider `keys` in
 * the environment, and the size of one to download (`getBytes`). The dialog receives updates by `heard`.
 *
 * @type {any}
 */
export const models = {
  host: {},
  own: { model: "", gone: "", note: "", where: "", providers: [], allowed: false },
  found: [],
  keys: [],
  getBytes: 0,
  heard: () => {},
};
let notices = [];
let account = {};
let tab = "";
let isLed = false; // true while the address decides what is shown

function receive(told) {
  if (told.notices) notices = told.notices.map(([name, values]) => filled(words[name], values));
  if (told.account) account = told.account;
  receiveModel(told);
}

/** Apply an update of the models. */
export function receiveModel(told) {
  if (told.model) models.host = told;
  if (told.found) Object.assign(models, { found: told.found, keys: told.keys, getBytes: told.get_bytes });
  const own = (models.own = told.own ?? models.own);
  if (!own.gone) document.documentElement.dataset.ownModel = own.model;
  if (own.model) store(OWN_TAB, own.tab, "sessionStorage");
  // Data for the start of a conversation.
  const { host, found, keys, getBytes } = models;
  const isSmall = Boolean(host.is_small && !own.model && !own.gone);
  const known = isSmall && host.may_find ? { found, keys, mayGet: true, getBytes } : {};
  noted.models = { isSmall, mayConnect: own.allowed, name: own.model || host.model, gone: own.gone, ...known };
  tell("models");
  models.heard(told);
  if (told.model) findModels();
}

// Search for models only while the start is visible.
function findModels() {
  if (models.host.may_find && noted.models?.isSmall && noted.isAtStart) panel.send("find");
}

async function openModels(chosen) {
  const loaded = await import("./dialog.js").catch(() => null);
  if (loaded) return loaded.openDialog(chosen);
  const dialog = panel.find(".model");
  render(html`<p class="problem" id="model-title">${words.lost}</p>${closeButton(dialog)}`, dialog);
  dialog.showModal();
}

async function openSettings() {
  drawer().close();
  const { openDialog } = await import("../settings/settings.js");
  openDialog();
}

// Render the current model; if it is the small one, a button to connect another.
function chip() {
  const name = (document.documentElement.dataset.ownModel || models.host.model || "").split("/").at(-1);
  const isOffer = mayConnect();
  const look = isOffer && (noted.isAtStart && tab === "chat" ? "primary" : "offer");
  const label = name ? filled(words.model_chip, { model: name }) : words.model_title;
  return html`<button class="button head-chip ${look || ""}" type="button" aria-haspopup="dialog"
    aria-label=${isOffer ? nothing : label} @click=${() => openModels({ isForm: isOffer })}>
    <span class="clipped">${isOffer ? words.start_connect : name}</span></button>`;
}

function view() {
  return html`<header class="head spread">
      <a class="head-skip small" href="#noted-message">${words.skip}</a>
      ${button("button quiet head-menu narrow-only", "☰", openDrawer, { name: words.menu })}
      <h1 class="head-name">${words.name}</h1>
      <div class="row head-tabs" role="tablist" @keydown=${walked}>${Object.keys(PANES).map(tabButton)}</div>
      <div class="row head-fold">
        ${languageList()}
        <button class="button head-settings" type="button" aria-haspopup="dialog" @click=${openSettings}>${words.settings}</button>
        ${accountLink()}
      </div>
      ${chip()}
    </header>
    <div>${noticesShown().map(notice)}</div>
    <dialog class="head-drawer" closedby="any" aria-label=${words.menu}></dialog>
    <dialog class="dialog model" closedby="any" aria-labelledby="model-title"></dialog>`;
}

function tabButton(name) {
  const label = words[`tab_${name}`];
  return html`<button class="button quiet" id="tab-${name}" role="tab" type="button" data-name=${name} aria-controls=${PANES[name]}
    aria-selected=${String(name === tab)} tabindex=${name === tab ? 0 : -1} @click=${() => select(name)}>${label}</button>`;
}

// Hugging Face pages cannot be framed, so signing in opens a window.
function accountLink() {
  const { name, leave, enter } = account;
  const target = leave || window.parent === window ? "_self" : "_blank";
  const label = leave ? filled(words.sign_out, { name }) : words.sign_in;
  return html`<a class="small" href=${leave || enter || nothing} target=${target} ?hidden=${!(leave || enter)}>${label}</a>`;
}

// Render a notice that can be dismissed.
function notice(sentence) {
  const putAway = () => {
    store(KNOWN, known() + sentence, "sessionStorage");
    panel.draw();
  };
  return html`<p class="row centred small sunken">${sentence}${button("button small quiet", words.notice_known, putAway)}</p>`;
}

const known = () => stored(KNOWN, "sessionStorage") ?? "";

// The page's own one is shown until another model is connected.
function noticesShown() {
  const own = left && !hasOwnModel() ? [words.model_left] : [];
  return [...own, ...notices].filter((sentence) => !known().includes(sentence));
}

function select(name) {
  if (tab !== name) tell("left", tab);
  tab = name;
  document.documentElement.dataset.tab = name;
  if (!isLed) showTabInAddress();
  panel.draw();
  if (name !== "chat") showPanels(document.getElementById(PANES[name]));
}

// Load the panels of a tab when it is first opened, and refresh them each time; show an error once.
function showPanels(pane) {
  for (const place of pane.querySelectorAll(":scope > .panel, :scope > .content > .panel")) {
    const sayLost = () => {
      if (!pane.querySelector(".unloaded")) Object.assign(place, { className: "unloaded", textContent: words.lost });
    };
    panels[place.id] ??= import(`../${place.id}/${place.id}.js`);
    panels[place.id].then(({ look }) => look?.(), sayLost);
  }
}

function showTabInAddress() {
  const address = new URL(window.location.href);
  if (tab === "chat") address.searchParams.delete("tab");
  else address.searchParams.set("tab", tab);
  if (address.href !== window.location.href) history.pushState(null, "", address);
}

function goToTab() {
  isLed = true;
  const wanted = new URL(window.location.href).searchParams.get("tab");
  select(Object.hasOwn(PANES, wanted) ? wanted : "chat");
  setTimeout(() => (isLed = false)); // after all listeners
}

function walked(event) {
  const tabs = /** @type {HTMLElement[]} */ ([...panel.element.querySelectorAll("[role=tab]")]);
  const at = tabs.indexOf(event.target);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const next = tabs.at(to % tabs.length);
  select(next.dataset.name);
  next.focus();
}

const drawer = () => panel.find(".head-drawer");

function openDrawer() {
  const fold = panel.find(".head-fold");
  const talks = document.querySelector(".talks");
  const home = talks.parentElement;
  drawer().append(talks, fold);
  drawer().showModal();
  const putBack = () => {
    panel.find(".head-chip").before(fold);
    home.append(talks);
  };
  drawer().addEventListener("close", putBack, { once: true });
}

window.matchMedia("(min-width: 52rem)").addEventListener("change", () => drawer().close());
window.addEventListener("popstate", goToTab);
listen("tab", (name) => {
  select(name);
  panel.find(`#tab-${name}`).focus();
});
for (const event of ["fresh", "open"]) {
  listen(event, (what) => {
    if (what !== "erased") drawer().close(); // after "erased", the list shows the confirmation
    if (!isLed) select("chat");
  });
}
// A software keyboard shrinks the visual viewport; browsers report it in different ways.
window.visualViewport?.addEventListener("resize", () => {
  const { height, scale } = window.visualViewport;
  document.documentElement.style.setProperty("--noted-height", `${Math.round(height * scale)}px`);
});

listen("connect", (chosen) => openModels({ isForm: !chosen.local, ...chosen }));
listen("start", () => {
  panel.draw();
  findModels();
});
listen("memory", (what) => what === "forgotten_all" && hasOwnModel() && panel.send("check"));

// A framing page, such as Hugging Face, may set the colour scheme.
const theme = new URLSearchParams(window.location.search).get("__theme");
if (["dark", "light"].includes(theme)) document.documentElement.classList.add(theme);

// Ignore keys of an input method that select a candidate or end a word. Browsers mark them with `isComposing`; Safari
// sends the final Enter after the composition, with key code 229.
const isComposed = (event) => event.isComposing || event.keyCode === 229;
window.addEventListener("keydown", (event) => isComposed(event) && event.stopImmediatePropagation(), true);

panel.draw();
panel.look();
goToTab();

// Restore the focus after the language was changed by a reload; on a phone the list is in the drawer.
if (history.state?.isLanguageChosen) {
  history.replaceState(null, "");
  const list = panel.find(".head-language");
  (list.checkVisibility() ? list : panel.find(".head-menu")).focus();
}

store(OWN_TAB, "", "sessionStorage");
if (left) panel.send("check", { left });
