// What is listed, what is done about it, and what came of that, which is said beside the control that was used.

import { calmly, createPanel } from "../shared/panel.js";
import { createControls } from "../shared/controls.js";
import { html, nothing } from "../shared/lit.js";
import { tell, words } from "../shared/server.js";
import { isSame } from "../shared/text.js";

export const EVERYTHING = "everything";
export const EMPTY = "empty";

export const panel = createPanel("memory", { view: () => view(), receive, besides: wanted });
export const controls = createControls(panel);
export const filters = {};
export const erased = new Map(); // how many of what go with an entry, by the name of the question that asks for it
export const unfolded = new Set(); // stays so when an entry is listed anew, or changed
/** @type {any} `asked` is which entries were wanted, null until the list was read. */
export let list = { entries: [], total: 0, first: 0, more: false, asked: null };
export let said = "";
let view = () => html``;
let place = EVERYTHING; // where that is said: in an entry, by its id, or in one of the places above
let first = 0;
let waiting = 0;

/** Show the panel as a template says. */
export function show(template) {
  view = template;
  panel.draw();
}

const searchField = () => panel.find("[type=search]");

// Which entries are wanted is sent with each event.
function wanted() {
  return { search: searchField().value, filters: { ...filters }, first, shown: panel.props.step };
}

function receive(told, sent) {
  if (!told.entries) return;
  const asked = wanted();
  // Where others are wanted by now, those are being read, or will be.
  if (Object.keys(asked).some((name) => !isSame(asked[name], sent[name]))) {
    if (told.done) search();
    return;
  }
  // What is being typed about an entry stays, whatever became of the entry.
  const isReadAgain = !told.done && isSame(asked, list.asked);
  if (isReadAgain && controls.losesTyped(told.entries)) return;
  first = told.first;
  list = { ...told, asked };
  if (!isSearched()) list.entries = byType(told.entries);
  panel.draw();
  if (!told.done) bringToSight();
}

/** Return true if the listed entries were searched for. */
export function isSearched() {
  return Boolean(list.asked?.search.trim());
}

// The newest of each type stay first.
function byType(entries) {
  const place = ({ kind }) => panel.props.filters.kind.indexOf(kind);
  return [...entries].sort((one, other) => place(one) - place(other));
}

export function search() {
  return panel.send("search");
}

/** List other entries, from the first of them on. */
export function searchAnew(afterMs = 0) {
  first = 0;
  say("");
  clearTimeout(waiting);
  waiting = setTimeout(search, afterMs);
}

export function turnTo(place) {
  first = Math.max(0, place);
  return search();
}

/** Say what came of something, in sight. */
export function say(sentence, at = place) {
  said = sentence;
  place = at;
  panel.draw();
  bringToSight();
}

// With the control that was used, if there is room for both.
function bringToSight() {
  const receipt = panel.find(".memory-receipt");
  if (!receipt) return;
  const { parentElement: around } = receipt;
  const shown = around.offsetHeight < window.innerHeight / 2 ? around : receipt;
  shown.scrollIntoView({ block: "nearest", behavior: calmly() });
}

/** What is said in a place, and why nothing came of what was done there. */
export function notes(at) {
  const isListed = list.entries.some(({ id }) => id === place);
  const isProblem = panel.problem && (isListed ? place : EVERYTHING) === at;
  return [
    isProblem ? html`<p class="problem" role="alert">${panel.problem}</p>` : nothing,
    said && place === at ? html`<p class="memory-receipt">${said}</p>` : nothing,
  ];
}

/**
 * Do something about an entry, or about everything. Returns the answer, or null where nothing was done.
 *
 * @param {any} [data]
 * @param {(card: HTMLElement) => any} [focusIn] what in the entry gets the focus then; else its first button
 */
export async function act(name, event, data = {}, focusIn = () => null) {
  const before = list.entries;
  say("", data.entry ?? EVERYTHING);
  const told = await controls.send(name, event, data);
  if (!told) return null;
  const sentence = [words[told.done], told.receipt].filter(Boolean).join(" ");
  if (data.entry) {
    if (unfolded.has(`${data.entry} more`)) unfolded.add(`${told.changed} more`);
    const id = idAfter(before, told.changed);
    say(sentence, id ?? EMPTY);
    const card = id && panel.find(`[data-id="${id}"]`);
    const next = card && (focusIn(card) ?? card.querySelector(".entry-acts > button"));
    (next ?? searchField()).focus({ preventScroll: true });
  } else {
    say(sentence);
    controls.focus(name);
  }
  if (told.done !== "exported") tell("memory", told.done);
  return told;
}

// The entry that was changed, or the one after what was erased.
function idAfter(before, changed) {
  const { entries } = list;
  if (changed) return entries.find(({ id }) => id === changed)?.id;
  const left = new Set(entries.map(({ id }) => id));
  const erased = before.findIndex(({ id }) => !left.has(id));
  return entries[Math.min(erased, entries.length - 1)]?.id;
}

/** Ask whether to erase an entry, or everything, and say then what goes with it. */
export async function askToErase(name, entry = "") {
  erased.delete(name);
  say("", entry || EVERYTHING);
  controls.open(name);
  const told = await panel.send("weigh", entry ? { entry } : {});
  if (!told || !controls.isOpen(name)) return;
  erased.set(name, told.takes);
  panel.draw();
  document.activeElement.closest(".asking")?.scrollIntoView({ block: "nearest" });
}
