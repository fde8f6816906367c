// Plots, drawn from numbers. They follow the colours of the page; what they show stands in a sentence and in a table.

import { html, nothing, svg } from "../shared/lit.js";
import { localNumber } from "../shared/text.js";

const HEIGHT = 200;
const MARGIN = { left: 40, right: 12, top: 12, bottom: 26 };
const LETTER = 7;
const LINES = 4;

/** Return a number from which on the scale looks even: 4, 20, 40, 100 … and, for a small `least`, 0.002, 0.004 … */
export function roundUp(value, least = LINES) {
  const atLeast = Math.max(value, least);
  const step = 10 ** Math.floor(Math.log10(atLeast));
  return [1, 2, 4, 10].map((times) => times * step).find((round) => round >= atLeast) ?? atLeast;
}

/** Lines over places, from 0 to `most`. Each of `series` has a value for each place; null is a gap. */
export function linePlot(label, width, { series, ends, most, asText = number }) {
  const marks = Array.from({ length: LINES + 1 }, (_, line) => (most * line) / LINES);
  const left = Math.max(MARGIN.left, 12 + LETTER * Math.max(...marks.map((mark) => asText(mark).length)));
  const right = width - MARGIN.right;
  const count = series[0].length;
  const x = (place) => left + ((right - left) * place) / (count - 1);
  const y = (value) => MARGIN.top + (HEIGHT - MARGIN.top - MARGIN.bottom) * (1 - value / most);
  const text = (at, height, anchor, words) =>
    svg`<text class="plot-text" x=${at} y=${height} text-anchor=${anchor}>${words}</text>`;
  const grid = (mark) => svg`<line class="plot-grid" x1=${left} x2=${right} y1=${y(mark)} y2=${y(mark)}></line>
    ${text(left - 6, y(mark) + 4, "end", asText(mark))}`;
  const line = (values, look) => {
    const points = values.flatMap((value, place) => (value === null ? [] : [[x(place), y(value)]]));
    return svg`${points.map(([cx, cy]) => svg`<circle class="plot-point look-${look}" cx=${cx} cy=${cy} r="3"></circle>`)}
      <path class="plot-line look-${look}" d=${points.length ? `M${points.join("L")}` : nothing}></path>`;
  };
  return html`<svg width=${width} height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${label}>
    ${marks.map(grid)}${series.map(line)}
    ${text(left, HEIGHT - 6, "start", ends[0])}${text(right, HEIGHT - 6, "end", ends[1])}
  </svg>`;
}

/** Parts of a whole, side by side. */
export function stackedBar(label, parts) {
  const whole = parts.reduce((sum, { ms }) => sum + ms, 0) || 1;
  const part = ({ ms }, look) => barPart("plot-part", look, ms / whole);
  return html`<div class="plot-stack" role="img" aria-label=${label}>${parts.map(part)}</div>`;
}

/** A part of a bar, as wide as its share of it. */
export function barPart(className, look, share) {
  return html`<span class="${className} look-${look}" .style=${`width: ${100 * share}%`}></span>`;
}

/** The names of what a plot shows, each with the number that says how it looks. */
export function legend(names) {
  const item = ([name, look]) => html`<li><span class="plot-key look-${look}"></span>${name}</li>`;
  return html`<ul class="plot-legend">${names.map(item)}</ul>`;
}

export function number(value, digits = 1) {
  return localNumber(value, { maximumFractionDigits: digits });
}
