// Plots, drawn from numbers. They follow the colours of the page; what they show stands in a sentence and in a table.

const HEIGHT = 200;
const MARGIN = { left: 40, right: 12, top: 12, bottom: 26 };
const LETTER = 7;
const LINES = 4;

function drawn(tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

// Where values lie: `x` for a place from 0 to 1, `y` for a value from 0 to `most`.
function frame(label, width, most, asText) {
  const marks = Array.from({ length: LINES + 1 }, (_, line) => (most * line) / LINES);
  const left = Math.max(MARGIN.left, 12 + LETTER * Math.max(...marks.map((mark) => asText(mark).length)));
  const svg = drawn("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label });
  const inner = { width: width - left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const x = (share) => left + share * inner.width;
  const y = (value) => MARGIN.top + inner.height * (1 - value / most);
  for (const value of marks) {
    svg.append(drawn("line", { class: "plot-grid", x1: x(0), x2: x(1), y1: y(value), y2: y(value) }));
    svg.append(drawn("text", { class: "plot-text", x: x(0) - 6, y: y(value) + 4, "text-anchor": "end" }, asText(value)));
  }
  return { svg, x, y };
}

function below(plot, share, text) {
  const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
  plot.svg.append(drawn("text", { class: "plot-text", x: plot.x(share), y: HEIGHT - 6, "text-anchor": anchor }, text));
}

// A number from which on the scale looks even: 4, 20, 40, 100 … and, where `least` is small, 0.002, 0.004 …
function roundUp(value, least = LINES) {
  const atLeast = Math.max(value, least);
  const step = 10 ** Math.floor(Math.log10(atLeast));
  return [1, 2, 4, 10].map((times) => times * step).find((round) => round >= atLeast) ?? atLeast;
}

// Lines over places. Each of `series` has `values`, of which null is a gap, and a number that says how it looks.
function linePlot(label, width, series, ends, most = 0, asText = (value) => number(value)) {
  const known = series.flatMap(({ values }) => values).filter((value) => value !== null);
  const plot = frame(label, width, most || roundUp(Math.max(...known, 0)), asText);
  const count = series[0].values.length;
  const place = (index) => plot.x(count === 1 ? 0.5 : index / (count - 1));
  for (const { values, look } of series) {
    let path = "";
    values.forEach((value, index) => {
      if (value === null) return;
      path += `${path ? "L" : "M"}${place(index)} ${plot.y(value)}`;
      plot.svg.append(drawn("circle", { class: `plot-point look-${look}`, cx: place(index), cy: plot.y(value), r: 3 }));
    });
    plot.svg.append(drawn("path", { class: `plot-line look-${look}`, d: path || "M0 0" }));
  }
  below(plot, count > 1 ? 0 : 0.5, ends[0]);
  if (count > 1) below(plot, 1, ends[1]);
  return plot.svg;
}

// Parts of a whole, side by side.
function stackedBar(label, parts) {
  const bar = make("div", "plot-stack");
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", label);
  const whole = parts.reduce((sum, { ms }) => sum + ms, 0) || 1;
  parts.forEach(({ ms }, place) => {
    const part = make("span", `plot-part look-${place}`);
    part.style.width = `${(100 * ms) / whole}%`;
    bar.append(part);
  });
  return bar;
}

function legend(names) {
  const list = make("ul", "plot-legend");
  for (const [look, name] of names) {
    const item = make("li", "");
    item.append(make("span", `plot-key look-${look}`), name);
    list.append(item);
  }
  return list;
}

function number(value, digits = 1) {
  return localNumber(value, { maximumFractionDigits: digits });
}
