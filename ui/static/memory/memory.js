// The list of what is remembered: search as you type, filter, turn its pages, change in place, forget in two steps.

import { button, calmly } from "../shared/panel.js";
import { html, repeat } from "../shared/lit.js";
import { listen, words } from "../shared/server.js";
import { filled, howMany, localNumber } from "../shared/text.js";
import { EMPTY, filters, list, notes, panel, said, search, searchAnew, show, turnTo } from "./acting.js";
import { entryCard } from "./entry.js";
import { everything } from "./everything.js";

const SEARCH_AFTER_MS = 150; // so that it is not asked for at each key

function view() {
  const isEmpty = list.asked && !list.entries.length;
  return html`<div class="stack memory-page">
    <h2>${words.memory_title}</h2>
    <input
      type="search"
      dir="auto"
      autocomplete="off"
      maxlength="500"
      placeholder=${words.search}
      aria-label=${words.search}
      @input=${() => searchAnew(SEARCH_AFTER_MS)}
    />
    <div class="memory-filters" role="group" aria-label=${words.filters} ?hidden=${isEmpty && !isNarrowed()}>
      ${Object.entries(panel.props.filters).map(filterList)}
    </div>
    <p class="hint" role="status" aria-live="polite">${counted()}</p>
    <p class="visually-hidden" role="status" aria-live="polite">${said}</p>
    <div class="stack" ?hidden=${!isEmpty}>
      ${isNarrowed() ? "" : html`<p class="start-title">${words.remembered_none}</p><p class="start-line">${words.remembered_none_hint}</p>`}
      ${notes(EMPTY)}
    </div>
    <ul class="rows">${repeat(list.entries, ({ id }) => id, entryCard)}</ul>
    ${pages()}
    ${everything()}
  </div>`;
}

function filterList([name, values]) {
  const choose = ({ target }) => {
    filters[name] = target.value;
    searchAnew();
  };
  return html`<select class="memory-filter" aria-label=${words[`filter_${name}`]} @change=${choose}>
    <option value="">${words[`filter_${name}_any`]}</option>
    ${values.map((value) => html`<option value=${value}>${words[`filter_${name}_${value}`] ?? value}</option>`)}
  </select>`;
}

// How many there are, which of them are shown, and how many are listed for their meaning alone.
function counted() {
  const { entries, total, first } = list;
  const akin = entries.filter((entry) => entry.by_meaning).length;
  const last = first + entries.length - akin;
  const range = { from: localNumber(first + 1), to: localNumber(last), count: localNumber(total) };
  let sentence = isNarrowed() && !entries.length ? (isFiltered() ? words.filtered_none : words.found_none) : "";
  if (last - first < total) sentence = filled(isNarrowed() ? words.found_range : words.remembered_range, range);
  else if (total) sentence = isNarrowed() ? howMany("found", total) : howMany("remembered", total);
  return [sentence, akin && filled(words.found_akin, { count: localNumber(akin) })].filter(Boolean).join(" · ");
}

function isFiltered() {
  return Object.values(list.asked?.filters ?? {}).some(Boolean);
}

function isNarrowed() {
  return isFiltered() || Boolean(list.asked?.search.trim());
}

function pages() {
  const { first, more } = list;
  const turn = (label, to, isThere) => button("button", label, () => turnFrom(to), { isDisabled: !isThere });
  return html`<nav class="buttons memory-pages" aria-label=${words.pages} ?hidden=${!first && !more}>
    ${turn(words.newer, first - panel.props.step, first)}
    ${turn(words.older, first + panel.props.step, more)}
  </nav>`;
}

function turnFrom(to) {
  turnTo(to);
  panel.find("h2").scrollIntoView({ block: "start", behavior: calmly() });
}

/** Read the list anew. */
export const look = search;

listen("offers", search);
listen("memory", (what) => ["practice", "suggestions", "told"].includes(what) && search());
show(view);
