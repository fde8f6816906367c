// The Insights page: answers that used a note, by week; what was taught; notes that were corrected again.

import { html, nothing } from "../shared/lit.js";
import { bar, button, createPanel, lesson, problemLine } from "../shared/panel.js";
import { tell, words } from "../shared/server.js";
import { dated, filled, howMany, localNumber } from "../shared/text.js";

const RECENT_WEEKS = 4;
const panel = createPanel("insights", { view, receive: (numbers) => (told = numbers) });
let told = null;

function view() {
  return html`<div class="stack">
    <h2>${words.tab_insights}</h2>
    ${problemLine(panel)}
    <div class="stack" aria-live="polite">
      ${told ? [helped(told.weeks), taught(told), corrected(told.corrected)] : nothing}
    </div>
    <p class="hint">${filled(words.insights_hint, { days: panel.props.keep_days })}</p>
  </div>`;
}

function helped(weeks) {
  if (!weeks.length) return part("helped", words.helped_none);
  const recent = weeks.slice(-RECENT_WEEKS).reduce((sum, week) => sum + week.helped, 0);
  const most = Math.max(...weeks.map((week) => week.helped));
  const week = ({ monday, helped: number }) => {
    const began = dated(new Date(`${monday}T00:00`), { day: "numeric", month: "short" });
    return html`<li class="bar-row">
      <span class="hint">${filled(words.week_of, { day: began })}</span>${bar(number / most)}<span>${localNumber(number)}</span>
    </li>`;
  };
  return part("helped", howMany("helped", recent), weeks.length > 1 ? html`<ol>${weeks.map(week)}</ol>` : nothing);
}

function taught({ taught: counts, latest }) {
  const kinds = Object.entries(counts);
  if (!kinds.length) return part("taught", words.taught_none);
  const count = ([kind, number]) =>
    html`<li>${words[`filter_kind_${kind}`]} <strong>${localNumber(number)}</strong></li>`;
  const last = html`<h4 class="hint">${words.taught_latest}</h4>
    <ul class="rows">${latest.map((entry) => html`<li>${inMemory(entry)}</li>`)}</ul>`;
  const all = html`<ul class="row insight-counts">${kinds.map(count)}</ul>`;
  return part("taught", "", all, last);
}

function corrected(entries) {
  if (!entries.length) return part("corrected", words.corrected_none);
  const row = (entry) => html`<li>
    ${inMemory(entry)}
    <p class="hint">${filled(words.corrected_often, { corrected: entry.corrected, used: entry.used })}</p>
  </li>`;
  return part("corrected", words.corrected_hint, html`<ul class="rows">${entries.map(row)}</ul>`);
}

function part(name, sentence, ...more) {
  return html`<section class="stack box" aria-labelledby="insight-${name}">
    <h3 id="insight-${name}">${words[`insight_${name}`]}</h3>
    ${sentence ? html`<p>${sentence}</p>` : nothing}
    ${more}
  </section>`;
}

// Show an entry in Memory.
function inMemory(entry) {
  const show = async () => {
    const { searchFor } = await import("../memory/memory.js");
    tell("tab", "memory");
    searchFor(entry.text);
  };
  return button("underlined", lesson(entry), show);
}

export const { look } = panel;

panel.draw();
