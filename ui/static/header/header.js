// The head of the page: its name, the tabs, which show the panels, the language, settings, what one has to know, who is signed
// in, which model answers. On a phone the tabs are a bar at the bottom, and a drawer holds the rest, with the conversations.

import "../conversation/conversation.js";
import "../conversations/conversations.js";
import { html, nothing, render } from "../shared/lit.js";
import { button, createPanel, languageList } from "../shared/panel.js";
import { hasOwnModel, listen, noted, tell, words } from "../shared/server.js";
import { filled } from "../shared/text.js";

const PANES = [
  ["chat", "talk"],
  ["memory", "memory-pane"],
  ["teach", "teach-pane"],
  ["insights", "insights-pane"],
];
const KNOWN = "noted-known"; // sentences that were put away until the browser is closed
const OWN_TAB = "noted-own-tab";
const panels = {}; // the modules of those that were shown

export const panel = createPanel("header", { view, receive });

/**
 * What answers: where nobody brought a model (`host`), in this page (`own`); and what could, on this machine (`found`, servers, and
 * `keys`, variables, and one to get of `getBytes`). The dialog, once it is loaded, hears of news by `heard`.
 */
export const models = {
  host: {},
  own: { model: "", gone: "", note: "", where: "", providers: [], allowed: false },
  found: [],
  keys: [],
  getBytes: 0,
  /** @type {(told: any) => void} */
  heard: () => {},
};
let notices = [];
let account = {};
let tab = "";
let isLed = false; // by the address, which then says what is shown

function receive(told) {
  if (told.notices) notices = told.notices.map(([name, values]) => filled(words[name], values));
  if (told.account) account = told.account;
  receiveModel(told);
}

/** Take in what the server tells of models. */
export function receiveModel(told) {
  if (told.model) models.host = told;
  if (told.found) Object.assign(models, { found: told.found, keys: told.keys, getBytes: told.get_bytes });
  const own = (models.own = told.own ?? models.own);
  if (!own.gone) document.documentElement.dataset.ownModel = own.model;
  if (own.model) sessionStorage.setItem(OWN_TAB, own.tab);
  // The start of a conversation shows what answers, and what else could.
  const { host, found, keys, getBytes } = models;
  const isSmall = Boolean(host.is_small && !own.model && !own.gone);
  const mayGet = isSmall && Boolean(host.may_find);
  const known = mayGet ? { found, keys, mayGet, getBytes } : {};
  noted.models = { isSmall, mayConnect: own.allowed, name: own.model || host.model, gone: own.gone, ...known };
  tell("models");
  models.heard(told);
  if (told.model) findModels();
}

// Looks what is there while the start is in sight, and not before.
function findModels() {
  if (models.host.may_find && noted.models?.isSmall && noted.isAtStart) panel.send("find");
}

async function openModels(chosen) {
  const loaded = await import("./dialog.js").catch(() => null);
  if (loaded) loaded.openDialog(chosen);
  else sayDialogLost(panel.find(".model"));
}

function sayDialogLost(dialog) {
  const close = () => dialog.close();
  render(
    html`<p class="problem" id="model-title">${words.lost}</p>${button("button", words.talks_close, close)}`,
    dialog,
  );
  dialog.showModal();
}

async function openSettings() {
  drawer().close();
  const { openDialog } = await import("../settings/settings.js");
  openDialog();
}

// Which model answers; where that is the small one and another may be connected, the way there.
function chip() {
  const name = (document.documentElement.dataset.ownModel || models.host.model || "").split("/").at(-1);
  const isOffer = Boolean(noted.models?.isSmall && noted.models.mayConnect);
  const label = name ? filled(words.model_chip, { model: name }) : words.model_title;
  return html`<button class="button head-chip ${isOffer ? "primary" : ""}" type="button" aria-haspopup="dialog"
    aria-label=${isOffer ? nothing : label} @click=${() => openModels({ isForm: isOffer })}>
    <span class="head-model">${isOffer ? words.start_connect : name}</span></button>`;
}

function view() {
  return html`<header class="head">
      <a class="head-skip" href="#noted-message">${words.skip}</a>
      <button class="button quiet head-menu" type="button" aria-haspopup="dialog" aria-label=${words.menu} @click=${openDrawer}>☰</button>
      <h1 class="head-name">${words.name}</h1>
      <div class="head-tabs" role="tablist" @keydown=${walked}>${PANES.map(tabButton)}</div>
      <div class="head-fold">
        ${languageList()}
        <button class="button head-settings" type="button" aria-haspopup="dialog" @click=${openSettings}>${words.settings}</button>
        ${accountLink()}
      </div>
      ${chip()}
    </header>
    <div class="head-notices">${notices.filter((sentence) => !known().includes(sentence)).map(notice)}</div>
    <dialog class="head-drawer" aria-label=${words.menu} @click=${clickedInDrawer}></dialog>
    <dialog class="model" aria-labelledby="model-title"></dialog>`;
}

function tabButton([name, pane]) {
  const label = words[`tab_${name}`];
  return html`<button id="tab-${name}" role="tab" type="button" data-name=${name} data-label=${label} aria-controls=${pane}
    aria-selected=${String(name === tab)} tabindex=${name === tab ? 0 : -1} @click=${() => select(name)}>${label}</button>`;
}

// A frame cannot show the pages of Hugging Face, so signing in opens a window of its own.
function accountLink() {
  const { name, leave, enter } = account;
  const target = leave || window.parent === window ? "_self" : "_blank";
  const label = leave ? filled(words.sign_out, { name }) : words.sign_in;
  return html`<a class="head-account" href=${leave || enter || nothing} target=${target} ?hidden=${!(leave || enter)}>${label}</a>`;
}

// What only has to be known once is put away.
function notice(sentence) {
  const putAway = () => {
    sessionStorage.setItem(KNOWN, known() + sentence);
    panel.draw();
  };
  return html`<p class="head-notice">${sentence}${button("button small quiet", words.notice_known, putAway)}</p>`;
}

const known = () => sessionStorage.getItem(KNOWN) ?? "";

function select(name) {
  tab = name;
  document.documentElement.dataset.tab = name;
  if (!isLed) showTabInAddress(name);
  panel.draw();
  if (name !== "chat") showPanels(document.getElementById(`${name}-pane`));
}

// The panels of a tab are loaded when it is first opened, and read anew each time.
function showPanels(pane) {
  for (const { id } of pane.querySelectorAll(":scope > .panel, :scope > .content > .panel")) {
    panels[id] ??= import(`../${id}/${id}.js`);
    panels[id].then(
      ({ look }) => look?.(),
      () => sayLost(pane, document.getElementById(id)),
    );
  }
}

// Said once, in the place of the first panel that could not be loaded.
function sayLost(pane, place) {
  if (pane.querySelector(".unloaded")) return;
  place.classList.add("unloaded");
  place.textContent = words.lost;
}

function showTabInAddress(name) {
  const address = new URL(window.location.href);
  if (name === "chat") address.searchParams.delete("tab");
  else address.searchParams.set("tab", name);
  if (address.href !== window.location.href) history.pushState(null, "", address);
}

function goToTab() {
  isLed = true;
  const wanted = new URL(window.location.href).searchParams.get("tab");
  select(PANES.some(([name]) => name === wanted) ? wanted : "chat");
  setTimeout(() => (isLed = false)); // when all have heard of the address
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

function clickedInDrawer({ target }) {
  if (target === drawer()) drawer().close();
}

window.matchMedia("(min-width: 52rem)").addEventListener("change", () => drawer().close());
window.addEventListener("popstate", goToTab);
listen("tab", (name) => {
  select(name);
  panel.find(`#tab-${name}`).focus();
});
for (const event of ["fresh", "open"]) {
  listen(event, (what) => {
    if (what !== "erased") drawer().close(); // else the list says there what went
    if (!isLed) select("chat");
  });
}
// A software keyboard takes its room from the page, which browsers tell in different ways.
window.visualViewport?.addEventListener("resize", () => {
  const { height, scale } = window.visualViewport;
  document.documentElement.style.setProperty("--noted-height", `${Math.round(height * scale)}px`);
});
for (const [name, pane] of PANES) {
  document.getElementById(pane).setAttribute("role", "tabpanel");
  document.getElementById(pane).setAttribute("aria-labelledby", `tab-${name}`);
}

listen("connect", (chosen) => openModels({ isForm: !chosen.local, ...chosen }));
listen("start", findModels);
listen("memory", (what) => what === "forgotten_all" && hasOwnModel() && panel.send("check"));

// Where the language was chosen before the page was loaded again; on a phone that is in the drawer.
function focusLanguage() {
  history.replaceState(null, "");
  const list = panel.find(".head-language");
  (list.checkVisibility() ? list : panel.find(".head-menu")).focus();
}

// A model is for a page until that is loaded again.
function forgetModel() {
  const left = sessionStorage.getItem(OWN_TAB);
  sessionStorage.removeItem(OWN_TAB);
  if (left) panel.send("check", { left });
}

// A page that frames this one may ask for its own colours, as Hugging Face does.
const theme = new URLSearchParams(window.location.search).get("__theme");
if (["dark", "light"].includes(theme)) document.documentElement.classList.add(theme);

// Keys that an input method takes, to choose a candidate or end a word, reach no handler of the page. Browsers mark them
// with `isComposing`; Safari sends the Enter that ends a word after the composition, marked by the key code 229 alone.
window.addEventListener(
  "keydown",
  (event) => (event.isComposing || event.keyCode === 229) && event.stopImmediatePropagation(),
  true,
);

panel.draw();
panel.send("look");
goToTab();
if (history.state?.isLanguageChosen) focusLanguage();
forgetModel();
