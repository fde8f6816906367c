// State and actions of the Memory page; the result is shown beside the used control.

import { calmly, createPanel } from "../shared/panel.js";
import { createControls } from "../shared/forms.js";
import { html, nothing } from "../shared/lit.js";
import { tell, words } from "../shared/server.js";
import { isSame } from "../shared/text.js";

export const EVERYTHING = "everything";
export const EMPTY = "empty";

export const panel = createPanel("memory", { view: () => view(), receive, besides: wanted });
export const controls = createControls(panel);
export const filters = {};
export const erased = new Map(); // counts of what an erasure takes along, by name of its confirmation
export const unfolded = new Set(); // stays when an entry is listed again or changed
/** @type {any} `asked` is the request of the list, null before the first response. */
export let list = { entries: [], total: 0, first: 0, more: false, asked: null };
export let said = "";
let view = () => html``;
let place = EVERYTHING; // place of the message: the id of an entry, or one of the places above
let first = 0;

/** Show the panel by a template. */
export function show(template) {
  view = template;
  panel.draw();
}

const searchField = () => panel.find("[type=search]");

// Every event carries the search, filters and page.
function wanted() {
  return { search: searchField().value, filters: { ...filters }, first, shown: panel.props.step };
}

function receive(told, sent) {
  if (!told.entries) return;
  const asked = wanted();
  // Discard a list if the request has changed since.
  if (Object.keys(asked).some((name) => !isSame(asked[name], sent[name]))) {
    if (told.done) search();
    return;
  }
  // Do not redraw an entry while the user types about it.
  const isReadAgain = !told.done && isSame(asked, list.asked);
  if (isReadAgain && controls.losesTyped(told.entries)) return;
  first = told.first;
  list = { ...told, asked };
  if (!isSearched()) list.entries = byType(told.entries);
  panel.draw();
  if (!told.done) bringToSight();
}

/** Return true if a search text was given. */
export function isSearched() {
  return Boolean(list.asked?.search.trim());
}

// Sort by type; the newest of each stay first.
function byType(entries) {
  const place = ({ kind }) => panel.props.filters.kind.indexOf(kind);
  return [...entries].sort((one, other) => place(one) - place(other));
}

export function search() {
  return panel.send("search");
}

/** List entries from the first one. */
export function searchAnew() {
  first = 0;
  say("");
  search();
}

export function turnTo(place) {
  first = Math.max(0, place);
  return search();
}

/** Show a message, scrolled into view. */
export function say(sentence, at = place) {
  said = sentence;
  place = at;
  panel.draw();
  bringToSight();
}

// Scroll to the message, with the used control if both fit.
function bringToSight() {
  const receipt = panel.find(".memory-receipt");
  if (!receipt) return;
  const { parentElement: around } = receipt;
  const shown = around.offsetHeight < window.innerHeight / 2 ? around : receipt;
  shown.scrollIntoView({ block: "nearest", behavior: calmly() });
}

/** Render the message or problem of a place. */
export function notes(at) {
  const isListed = list.entries.some(({ id }) => id === place);
  const isProblem = panel.problem && (isListed ? place : EVERYTHING) === at;
  return [
    isProblem ? html`<p class="problem" role="alert">${panel.problem}</p>` : nothing,
    said && place === at ? html`<p class="memory-receipt sunken small">${said}</p>` : nothing,
  ];
}

/**
 * Send an event about an entry, or about everything. Return the response, or null if it was refused.
 *
 * @param {any} [data]
 * @param {(card: HTMLElement) => any} [focusIn] returns the element of the entry to focus; default its first button
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
  }
  if (told.done !== "exported") tell("memory", told.done);
  return told;
}

// Return the id of the changed entry, or of the one after the erased one.
function idAfter(before, changed) {
  const { entries } = list;
  if (changed) return entries.find(({ id }) => id === changed)?.id;
  const left = new Set(entries.map(({ id }) => id));
  const erased = before.findIndex(({ id }) => !left.has(id));
  return entries[Math.min(erased, entries.length - 1)]?.id;
}

/** Ask for confirmation to erase an entry, or everything, with the counts of what goes with it. */
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
