// What each part of the page says: a title, one sentence, a plot, and the numbers of the plot as a table.

import { html, nothing } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { counted, dated, filled, localDate, localNumber } from "../shared/text.js";
import { barPart, legend, linePlot, number, roundUp, stackedBar } from "./plots.js";

const ENOUGH = 8; // of fewer points or uses, a plot would look like more than they say
const TITLES = {
  corrections: words.corrections_title,
  usage: words.usage_title,
  times: words.times_title,
  tokens: words.tokens_title,
  costs: words.costs_title,
};
const USAGE_LOOKS = [0, 3, 1]; // used, helped, hurt

/** Return the parts of the page; in the place of one of which there is nothing to show, null. */
export function sections(told, width) {
  return [corrections, usage, times, tokens, costs].map((draw) => draw(told, width));
}

function corrections({ stretches }, width) {
  if (!stretches.length) return null;
  // What only a few questions rest on stands in the numbers, but is no rate.
  const drawn = stretches.filter(({ all }) => all.rate !== null);
  const kinds = ["all", "with_memory", "without"];
  const names = kinds.map((kind) => words[`corrections_${kind}`]);
  const sentence = correctionsSentence(stretches, drawn);
  const plots = drawn.length < ENOUGH ? [] : correctionsPlot(sentence, width, drawn, kinds, names);
  const heads = [words.column_when, ...names.flatMap((name) => [name, `${name}: ${words.column_corrected}`])];
  const tallies = (stretch) => kinds.flatMap((kind) => [stretch[kind].questions, stretch[kind].corrected]);
  const rows = stretches.map((stretch) => [dateRange(stretch), ...tallies(stretch)]);
  return section("corrections", sentence, plots, heads, rows);
}

function correctionsPlot(sentence, width, drawn, kinds, names) {
  const series = kinds.map((kind) => drawn.map((stretch) => stretch[kind].rate));
  const most = roundUp(Math.max(...series.flat()));
  const ends = [localDate(drawn[0].began), localDate(drawn.at(-1).ended)];
  return [
    html`<p class="hint">${words.corrections_axis}</p>`,
    linePlot(sentence, width, { series, most, ends }),
    legend(names.map((name, look) => [name, look])),
  ];
}

function correctionsSentence(stretches, drawn) {
  if (drawn.length < 2) {
    const sum = (name) => stretches.reduce((whole, { all }) => whole + all[name], 0);
    return counted(words.corrections_once, { corrected: sum("corrected"), questions: sum("questions") });
  }
  const [{ corrected, questions }, last] = [drawn[0].all, drawn.at(-1).all];
  return counted(words.corrections_changed, { corrected, questions, later: last.corrected, last: last.questions });
}

function usage({ used, helped, hurt, worked }) {
  if (!used) return null;
  const sentence = counted(words.usage_sentence, { used, helped, hurt });
  const most = Math.max(...worked.map((entry) => entry.used), 1);
  const names = [words.column_used, words.column_helped, words.column_hurt];
  const key = legend(names.map((name, place) => [name, USAGE_LOOKS[place]]));
  const bars = html`<ul class="usage-bars">${worked.map((entry) => usageBar(entry, most))}</ul>`;
  const whole = { text: words.column_everything, used, helped, hurt };
  const rows = (worked.length ? worked : [whole]).map((one) => [one.text, one.used, one.helped, one.hurt]);
  const isPlotted = used >= ENOUGH && worked.length;
  return section("usage", sentence, isPlotted ? [key, bars] : [], [words.column_note, ...names], rows);
}

function usageBar({ text, used, helped, hurt }, most) {
  const bar = (count, place) => (count ? barPart("usage-part", USAGE_LOOKS[place], count / most) : nothing);
  return html`<li>
    <p class="usage-text" dir="auto">${text}</p>
    <div aria-hidden="true">${[used, helped, hurt].map(bar)}</div>
    <p class="hint">${counted(words.usage_counts, { used, helped, hurt })}</p>
  </li>`;
}

function times({ times: { answers, median, slowest, parts } }) {
  if (!answers) return null;
  const longest = parts.reduce((most, part) => (part.ms > most.ms ? part : most));
  const told = { median: duration(median), slowest: duration(slowest), part: words[longest.name] };
  const sentence = counted(words.times_sentence, { answers, ...told });
  const plots = [stackedBar(sentence, parts), legend(parts.map(({ name }, look) => [words[name], look]))];
  const rows = parts.map(({ name, ms }) => [words[name], duration(ms)]);
  return section("times", sentence, plots, [words.column_part, words.column_time], rows);
}

function tokens({ taken: { answers, told, prompt, reply, each, dollars: cost } }) {
  if (!answers) return null;
  const means = { prompt: number(prompt, 0), reply: number(reply, 0) };
  const guessed = counted(words.tokens_estimated, { count: answers - told, answers });
  const hints = told < answers ? [html`<p class="hint">${guessed}</p>`] : [];
  const heads = [words.column_answers, words.tokens_prompt, words.tokens_reply];
  const row = [answers, means.prompt, means.reply];
  if (!cost) return section("tokens", filled(words.tokens_sentence, means), hints, heads, [row]);
  const sentence = filled(words.tokens_priced_sentence, { ...means, each: dollars(each), sum: dollars(cost) });
  return section("tokens", sentence, hints, [...heads, words.tokens_each], [[...row, dollars(each)]]);
}

function costs({ spent }, width) {
  if (!spent.length) return null;
  const values = spent.map((one) => one.dollars);
  const days = spent.map(({ day }) => localDate(`${day}T00:00`));
  const sum = dollars(values.reduce((whole, cost) => whole + cost, 0));
  const sentence = filled(words.costs_sentence, { sum, from: days[0] });
  const rows = days.map((day, place) => [day, dollars(values[place])]);
  const most = roundUp(Math.max(...values), 0.000001);
  const shape = { series: [values], most, ends: [days[0], days.at(-1)], asText: dollars };
  const plots = spent.length < ENOUGH ? [] : [linePlot(sentence, width, shape)];
  return section("costs", sentence, plots, [words.column_when, words.column_cost], rows);
}

function section(name, sentence, plots, heads, rows) {
  const title = TITLES[name];
  const row = ([first, ...values]) => html`<tr>
    <th dir="auto" scope="row">${first}</th>${values.map((value) => html`<td>${typeof value === "number" ? number(value) : value}</td>`)}
  </tr>`;
  return html`<section class="stack insight" aria-labelledby="insight-${name}">
    <h3 id="insight-${name}">${title}</h3>
    <p>${sentence}</p>
    ${plots}
    <details class="insight-numbers">
      <summary class="entry-label">${words.numbers}</summary>
      <div class="insight-scroll" tabindex="0" role="region" aria-label="${TITLES[name]}: ${words.numbers}">
        <table class="insight-table">
          <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
          <tbody>${rows.map(row)}</tbody>
        </table>
      </div>
    </details>
  </section>`;
}

function dateRange({ began, ended }) {
  return dated({ dateStyle: "medium" }, (format) => format.formatRange(new Date(began), new Date(ended)));
}

function duration(ms) {
  if (ms < 1000) return filled(words.milliseconds, { count: number(ms, ms < 10 ? 1 : 0) });
  return counted(words.seconds, { count: ms / 1000 });
}

function dollars(cost) {
  const digits = cost < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 4 };
  return localNumber(cost, { style: "currency", currency: "USD", ...digits });
}
