// The list of memories by type and day: search as you type, filter, page, change in place, delete after confirmation.
// The result of an action is shown beside the used control.

import { button, createControls, createPanel, debounced, pageButtons, saveFile, searchField } from "../shared/panel.js";
import { html, nothing, repeat } from "../shared/lit.js";
import { listen, tell, words } from "../shared/server.js";
import { dayName, filled, goesAlong, groupedBy, howMany, isSame, localNumber } from "../shared/text.js";
import { entryCard } from "./entry.js";

const SEARCHED = 100; // characters of a search for an entry
// Places of a message that is about no entry.
const EVERYTHING = "everything";
const EMPTY = "empty";
const DOWNLOAD = `${EVERYTHING} download`;
const FORGET = `${EVERYTHING} forget`;

export const panel = createPanel("memory", { view, receive, besides: wanted });
export const controls = createControls(panel);
export const unfolded = new Set(); // stays when an entry is listed again or changed
const filters = {};
/** @type {any} `asked` is the request of the list, null before the first response. */
let list = { entries: [], total: 0, first: 0, more: false, asked: null };
let place = EVERYTHING; // place of the message: the id of an entry, or one of the places above
let first = 0;

const kindOf = ({ kind }) => kind;
const placeOf = ({ kind }) => panel.props.filters.kind.indexOf(kind);
const field = () => panel.find("[type=search]");
const search = () => panel.send("search");
const searchSoon = debounced(searchAnew, 150);
const isFiltered = () => Object.values(list.asked?.filters ?? {}).some(Boolean);
const isNarrowed = () => isFiltered() || isSearched();

/** Return true if a search text was given. */
export const isSearched = () => Boolean(list.asked?.search.trim());

// Every event carries the search, filters and page.
function wanted() {
  return { search: field().value, filters: { ...filters }, first, shown: panel.props.step };
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
  if (!told.done && isSame(asked, list.asked) && controls.losesTyped(told.entries)) return;
  first = told.first;
  list = { ...told, asked };
  // By type; the newest of each stay first.
  if (!isSearched()) list.entries.sort((one, other) => placeOf(one) - placeOf(other));
  panel.draw();
  if (!told.done) bringToSight();
}

// List entries from the first one.
function searchAnew() {
  first = 0;
  say("");
  search();
}

// Show a message, scrolled into view.
function say(sentence, at = place) {
  place = at;
  panel.say(sentence);
  bringToSight();
}

// Scroll to the message, with the used control if both fit.
function bringToSight() {
  const receipt = panel.find(".memory-receipt");
  if (!receipt) return;
  const around = receipt.parentElement;
  const shown = around.offsetHeight < window.innerHeight / 2 ? around : receipt;
  shown.scrollIntoView({ block: "nearest" });
}

/** Render the message or problem of a place. */
export function notes(at) {
  const isListed = list.entries.some(({ id }) => id === place);
  const isProblem = panel.problem && (isListed ? place : EVERYTHING) === at;
  return [
    isProblem ? html`<p class="problem" role="alert">${panel.problem}</p>` : nothing,
    panel.said && place === at ? html`<p class="memory-receipt sunken small">${panel.said}</p>` : nothing,
  ];
}

/**
 * Send an event about an entry, or about everything. Return the response, or null if it was refused. `focusIn` returns the
 * element of the entry to focus; by default its first button.
 *
 * @param {any} [data]
 * @param {any} [focusIn]
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
    (next ?? field()).focus({ preventScroll: true });
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

/** Ask for confirmation to erase an entry, or everything. */
export function askToErase(name, entry = "") {
  say("", entry || EVERYTHING);
  controls.weigh(name, entry ? { entry } : {});
}

function view() {
  const isEmpty = list.asked && !list.entries.length;
  return html`<div class="stack">
    <h2>${words.memory_title}</h2>
    ${searchField("", words.search, searchSoon)}
    <div class="row" role="group" aria-label=${words.filters} ?hidden=${list.total < 2 && !isNarrowed()}>
      ${Object.entries(panel.props.filters).map(filterList)}
    </div>
    <p class="hint" role="status" aria-live="polite">${counted()}</p>
    <p class="visually-hidden" role="status" aria-live="polite">${panel.said}</p>
    <div class="stack" ?hidden=${!isEmpty}>${isEmpty && !isNarrowed() ? howToBegin() : nothing} ${notes(EMPTY)}</div>
    ${isSearched() ? rows(list.entries) : repeat(groupedBy(list.entries, kindOf), ([kind]) => kind, typeGroup)}
    ${pageButtons([words.newer, words.older], { ...list, step: panel.props.step }, turnTo)}
    ${everything(list.total > 0 || isNarrowed())}
  </div>`;
}

function howToBegin() {
  return html`<p>${filled(words.remembered_none_hint, { button: words.no_i_meant })}</p>
    <div class="buttons">${button("button primary", words.remembered_none_go, () => tell("tab", "chat"))}</div>`;
}

function typeGroup([kind, entries]) {
  const days = groupedBy(entries, ({ when }) => dayName(when));
  const dayGroup = ([day, ofDay]) => html`<h4 class="hint">${day}</h4>${rows(ofDay)}`;
  return html`<section class="stack memory-type" aria-labelledby=${`type-${kind}`}>
    <h3 id=${`type-${kind}`}>${words[`filter_kind_${kind}`]}</h3>
    ${repeat(days, ([day]) => day, dayGroup)}
  </section>`;
}

function rows(entries) {
  return html`<ul class="rows">${repeat(entries, ({ id }) => id, entryCard)}</ul>`;
}

function filterList([name, values]) {
  const choose = ({ target }) => {
    filters[name] = target.value;
    searchAnew();
  };
  return html`<select class="field-s quiet memory-filter" aria-label=${words[`filter_${name}`]} @change=${choose}>
    <option value="">${words[`filter_${name}_any`]}</option>
    ${values.map((value) => html`<option value=${value}>${words[`filter_${name}_${value}`] ?? value}</option>`)}
  </select>`;
}

// Count the entries, the range shown, and those found by meaning alone.
function counted() {
  const { entries, total, first } = list;
  const akin = entries.filter((entry) => entry.by_meaning).length;
  const last = first + entries.length - akin;
  const range = { from: localNumber(first + 1), to: localNumber(last), count: total };
  let sentence = isNarrowed() && !entries.length ? (isFiltered() ? words.filtered_none : words.found_none) : "";
  if (last - first < total) sentence = filled(isNarrowed() ? words.found_range : words.remembered_range, range);
  else if (total) sentence = isNarrowed() ? howMany("found", total) : howMany("remembered", total);
  return [sentence, akin && filled(words.found_akin, { count: akin })].filter(Boolean).join(" · ");
}

function turnTo(to) {
  first = to;
  search();
  panel.find("h2").scrollIntoView({ block: "start" });
}

// Render the section to export or erase everything; `hasMemories` tells whether there is anything, with the conversations.
function everything(hasMemories) {
  const isNothing = !hasMemories && !document.querySelector(".talks-list .talk");
  const buttons = html`<div class="buttons">
    ${controls.control(DOWNLOAD, "", words.export, download)}
    ${controls.control(FORGET, "", words.forget_all, () => askToErase(FORGET), "", isNothing)}
  </div>`;
  return html`<section class="stack memory-everything" aria-labelledby="everything-title">
    <h3 id="everything-title">${words.everything_title}</h3>
    <p class="hint">${filled(words.everything_hint, { days: panel.props.keep_days })}</p>
    ${controls.isOpen(FORGET) ? forgetQuestion() : buttons} ${notes(EVERYTHING)}
  </section>`;
}

function forgetQuestion() {
  const what = goesAlong(controls.weighed(FORGET) ?? {});
  const question = what ? filled(words.forget_all_takes, { what }) : words.forget_all_sure;
  const asked = { question, label: words.forget_all_yes, isErasing: true };
  return controls.question(FORGET, asked, () => act(FORGET, "forget_all"));
}

async function download() {
  const told = await act(DOWNLOAD, "export");
  if (told) saveFile(told.file, "noted", "jsonl", "application/jsonl");
}

/** Search for a text. */
export function searchFor(text) {
  field().value = text.trim().slice(0, SEARCHED);
  searchAnew();
}

/** Refresh the list. */
export const look = search;

listen("offers", search);
listen("memory", (what) => ["practice", "suggestions", "told"].includes(what) && search());
panel.draw();
