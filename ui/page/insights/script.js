// The Insights page: one sentence; and behind it whose numbers, and the parts of which there is something to show.

const switches = find(".insights-of");
const said = find(".insights-said");
const details = find(".insights-details");
const parts = find(".insights-sections");
const WORTH_SAYING = 3;
let sections = 0;
let current = null;
let width = 0;

const PARTS = [
  [corrections, ({ stretches }) => stretches.length],
  [usage, ({ used }) => used],
  [times, ({ times: { answers } }) => answers],
  [tokens, ({ taken }) => taken.answers],
  [costs, ({ spent }) => spent.length],
];

function receive({ at: _askedAt, ...view }) {
  if (isSame(view, current)) return;
  current = view;
  showSwitches(view);
  show();
}

function show() {
  if (!current) return;
  width = Math.max(260, parts.clientWidth - 36);
  sections = 0;
  const open = [...parts.querySelectorAll("details")].map((one) => one.open);
  parts.replaceChildren(...PARTS.filter(([, isKnown]) => isKnown(current)).map(([draw]) => draw(current, width)));
  parts.querySelectorAll("details").forEach((one, place) => (one.open = open[place] ?? false));
  details.hidden = !sections;
  showPreferences(current.preferences);
  find(".insights-headline").textContent = headline(current);
  find(".insights-hint").textContent = sections ? "" : words.insights_none_hint;
  const count = { people: number(current.people), questions: number(current.questions) };
  said.textContent = current.of === "everyone" ? filled(words.insights_of_people, count) : "";
}

// Which scores count for more, since somebody took another draft.
function showPreferences(preferences) {
  const line = find(".insights-drafts");
  line.hidden = !preferences;
  if (!preferences) return line.replaceChildren();
  const weight = (value) => localNumber(value, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const each = preferences.weights.map(({ by, weight: value }) => filled(words.drafts_weight, { name: words[by], weight: weight(value) }));
  const told = { count: number(preferences.count), weights: new Intl.ListFormat(locale).format(each) };
  const reset = makeButton("button small", words.drafts_reset, () => {
    reset.disabled = true;
    send("reset_preferences", { of: current.of });
  });
  line.replaceChildren(filled(words.drafts_weights, told), " ", reset);
}

function headline({ saved, remembered, questions }) {
  if (saved >= WORTH_SAYING) return filled(words.insights_saved, { count: number(saved) });
  if (remembered) return remembered === 1 ? words.insights_learned_one : filled(words.insights_learned, { count: number(remembered) });
  return questions ? words.insights_learned_none : words.insights_none;
}

function showSwitches({ curator, of }) {
  switches.hidden = !curator;
  const whose = [["own", words.insights_own], ["everyone", words.insights_everyone]];
  switches.setAttribute("aria-label", words.insights_whose);
  if (!switches.children.length) switches.append(...whose.map(([one, label]) => makeButton("button small", label, () => send("look", { of: one }))));
  whose.forEach(([one], place) => switches.children[place].setAttribute("aria-pressed", String(one === of)));
}

details.querySelector("summary").textContent = words.details;
find(".insights-kept").textContent = filled(words.insights_hint, { days: props.keep_days });
// What is drawn has the width that there is; a tab that is not shown has none.
new ResizeObserver(() => {
  const room = Math.max(260, parts.clientWidth - 36);
  if (parts.clientWidth && room !== width) show();
}).observe(parts);
listenTo(receive);
