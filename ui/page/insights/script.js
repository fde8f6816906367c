// The Insights page: whose numbers, and the parts of which there is something to show.

const find = (selector) => element.querySelector(selector);
const problem = find(".problem");
const switches = find(".insights-of");
const said = find(".insights-said");
const empty = find(".insights-empty");
const parts = find(".insights-sections");
let sections = 0;
let current = null;
let width = 0;
let stopWatching = () => {};

const PARTS = [
  [corrections, ({ stretches }) => stretches.length],
  [usage, ({ used }) => used],
  [calibration, ({ steps }) => steps.length],
  [growth, ({ growth: grown }) => grown.length],
  [times, ({ times: { answers } }) => answers],
  [tokens, ({ taken }) => taken.length],
  [costs, ({ spent }) => spent.length],
];

function refuse(sentence) {
  stopWatching();
  problem.textContent = sentence;
  problem.hidden = !sentence;
}

function receive(view) {
  if (!view) return;
  refuse(view.refused ?? "");
  if (view.refused || isSame(view, current)) return;
  current = view;
  showSwitches(view);
  show();
}

function show() {
  if (!current) return;
  width = Math.max(260, parts.clientWidth - 36);
  sections = 0;
  const open = [...parts.querySelectorAll("details")].map((details) => details.open);
  parts.replaceChildren(...PARTS.filter(([, isKnown]) => isKnown(current)).map(([draw]) => draw(current, width)));
  parts.querySelectorAll("details").forEach((details, place) => (details.open = open[place] ?? false));
  empty.hidden = sections > 0;
  empty.replaceChildren(make("p", "start-title", words.insights_none), make("p", "start-line", words.insights_none_hint));
  const hint = find(".insights-hint");
  hint.textContent = filled(words.insights_hint, { days: props.keep_days });
  hint.hidden = !sections;
  const count = { people: number(current.people), questions: number(current.questions) };
  said.textContent = current.of === "everyone" ? filled(words.insights_of_people, count) : "";
}

function showSwitches({ curator, of }) {
  switches.hidden = !curator;
  if (switches.children.length) {
    for (const button of switches.children) button.setAttribute("aria-pressed", String(button.dataset.of === of));
    return;
  }
  switches.setAttribute("aria-label", words.insights_whose);
  for (const [whose, label] of [["own", words.insights_own], ["everyone", words.insights_everyone]]) {
    const button = makeButton("button small", label, () => look(whose));
    button.dataset.of = whose;
    button.setAttribute("aria-pressed", String(whose === of));
    switches.append(button);
  }
}

function look(of) {
  stopWatching();
  stopWatching = watchServer(() => refuse(words.lost));
  trigger("look", { of, at: Date.now() });
}

find(".insights-title").textContent = words.insights_title;
// What is drawn has the width that there is; a tab that is not shown has none.
new ResizeObserver(() => {
  const room = Math.max(260, parts.clientWidth - 36);
  if (parts.clientWidth && room !== width) show();
}).observe(parts);
watch("value", () => receive(props.value));
receive(props.value);
