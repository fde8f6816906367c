// The list of memories by type and day: search as you type, filter, page, change in place, delete after confirmation.

import { button, calmly, debounced, saveFile, searchField } from "../shared/panel.js";
import { html, nothing, repeat } from "../shared/lit.js";
import { listen, tell, words } from "../shared/server.js";
import { dayName, filled, goesAlong, groupedBy, howMany, localNumber } from "../shared/text.js";
import {
  act,
  askToErase,
  controls,
  EMPTY,
  erased,
  EVERYTHING,
  filters,
  isSearched,
  list,
  notes,
  panel,
  said,
  search,
  searchAnew,
  show,
  turnTo,
} from "./acting.js";
import { entryCard } from "./entry.js";

const SEARCHED = 100; // characters of a search for an entry
const searchSoon = debounced(searchAnew, 150);
const DOWNLOAD = `${EVERYTHING} download`;
const FORGET = `${EVERYTHING} forget`;
const FORMAT = "application/jsonl";

function view() {
  const isEmpty = list.asked && !list.entries.length;
  return html`<div class="stack memory-page">
    <h2>${words.memory_title}</h2>
    ${searchField("", words.search, searchSoon)}
    <div class="row" role="group" aria-label=${words.filters} ?hidden=${list.total < 2 && !isNarrowed()}>
      ${Object.entries(panel.props.filters).map(filterList)}
    </div>
    <p class="hint" role="status" aria-live="polite">${counted()}</p>
    <p class="visually-hidden" role="status" aria-live="polite">${said}</p>
    <div class="stack" ?hidden=${!isEmpty}>
      ${isEmpty && !isNarrowed() ? howToBegin() : nothing} ${notes(EMPTY)}
    </div>
    ${
      isSearched()
        ? rows(list.entries)
        : repeat(
            groupedBy(list.entries, ({ kind }) => kind),
            ([kind]) => kind,
            typeGroup,
          )
    }
    ${pages()}
    ${everything(list.total > 0 || isNarrowed())}
  </div>`;
}

function howToBegin() {
  return html`<p>${filled(words.remembered_none_hint, { button: words.no_i_meant })}</p>
    <div class="buttons">${button("button primary", words.remembered_none_go, () => tell("tab", "chat"))}</div>`;
}

function typeGroup([kind, entries]) {
  return html`<section class="stack memory-type" aria-labelledby=${`type-${kind}`}>
    <h3 id=${`type-${kind}`}>${words[`filter_kind_${kind}`]}</h3>
    ${repeat(
      groupedBy(entries, ({ when }) => dayName(when)),
      ([day]) => day,
      dayGroup,
    )}
  </section>`;
}

function dayGroup([day, entries]) {
  return html`<h4 class="entry-label">${day}</h4>${rows(entries)}`;
}

function rows(entries) {
  return html`<ul class="rows">${repeat(entries, ({ id }) => id, entryCard)}</ul>`;
}

function filterList([name, values]) {
  const choose = ({ target }) => {
    filters[name] = target.value;
    searchAnew();
  };
  return html`<select class="field-s memory-filter" aria-label=${words[`filter_${name}`]} @change=${choose}>
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

function isFiltered() {
  return Object.values(list.asked?.filters ?? {}).some(Boolean);
}

function isNarrowed() {
  return isFiltered() || isSearched();
}

function pages() {
  const { first, more } = list;
  const turn = (label, to, isThere) => button("button", label, () => turnFrom(to), { isDisabled: !isThere });
  return html`<nav class="buttons centred" aria-label=${words.pages} ?hidden=${!first && !more}>
    ${turn(words.newer, first - panel.props.step, first)}
    ${turn(words.older, first + panel.props.step, more)}
  </nav>`;
}

function turnFrom(to) {
  turnTo(to);
  panel.find("h2").scrollIntoView({ block: "start", behavior: calmly() });
}

// Render the section to export or erase everything; `hasMemories` tells whether there is anything, with the conversations.
function everything(hasMemories) {
  const isNothing = !hasMemories && !document.querySelector(".talks-list .talk");
  return html`<section class="stack memory-everything" aria-labelledby="everything-title">
    <h3 id="everything-title">${words.everything_title}</h3>
    <p class="hint">${filled(words.everything_hint, { days: panel.props.keep_days })}</p>
    ${controls.isOpen(FORGET) ? forgetQuestion() : everythingButtons(isNothing)}
    ${notes(EVERYTHING)}
  </section>`;
}

function everythingButtons(isNothing) {
  return html`<div class="buttons">
    ${controls.control(DOWNLOAD, "", words.export, download)}
    ${controls.control(FORGET, "danger", words.forget_all, () => askToErase(FORGET), "", isNothing)}
  </div>`;
}

function forgetQuestion() {
  const takes = erased.get(FORGET);
  const what = takes && goesAlong(takes);
  const question = what ? filled(words.forget_all_takes, { what }) : words.forget_all_sure;
  const asked = { question, label: words.forget_all_yes, keep: words.forget_no, look: "danger filled" };
  return controls.question(FORGET, asked, () => act(FORGET, "forget_all"));
}

async function download() {
  const told = await act(DOWNLOAD, "export");
  if (told) saveFile(told.file, "noted", "jsonl", FORMAT);
}

/** Search for a text. */
export function searchFor(text) {
  panel.find("[type=search]").value = text.trim().slice(0, SEARCHED);
  searchAnew();
}

/** Refresh the list. */
export const look = search;

listen("offers", search);
listen("memory", (what) => ["practice", "suggestions", "told"].includes(what) && search());
show(view);
