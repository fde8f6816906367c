// The same text is sent again and again, a little more of it practised each time. Stop ends the asking: what was
// practised is kept, and the same text goes on.

const find = (selector) => element.querySelector(selector);
const text = find("textarea");
const said = find(".drawer-said");
const problem = find(".problem");
const bar = find(".progress-bar");
const WAIT_MS = 5000;
const ACCEPTED = ".csv,.tsv,.txt,.jsonl,.json,text/plain,text/csv";
let stopWatching = () => {};
let isGoing = false;
let isAwaited = false; // something is being asked on the server
let isStopping = false;
let begun = ""; // the text that is practised
let practised = null; // what was last heard of the cases
let tests = [];

function send(event, data = {}) {
  stopWatching();
  stopWatching = watchServer(() => refuse(words.lost));
  isAwaited = true;
  trigger(event, { text: begun, ...data, at: Date.now() });
}

function refuse(sentence) {
  stopWatching();
  problem.textContent = sentence;
  problem.hidden = !sentence;
  if (!sentence) return;
  isAwaited = false;
  end();
}

function receive(value) {
  if (!value) return;
  isAwaited = false;
  refuse(value.refused ?? "");
  if (value.refused) return;
  if ("forgotten" in value) return showForgotten(value.forgotten);
  if (!isGoing) return;
  if (value.tests) {
    if (value.from === tests.length) tests.push(...value.tests);
  } else practised = value;
  show();
  if (value.why) refuse(value.why);
  else if (isStopping) end();
  else if (value.wait) rest(value.wait);
  else goOn();
}

function begin() {
  if (text.value !== begun || !isBegun()) tests = [];
  [begun, practised, isGoing] = [text.value, null, true];
  show();
  goOn();
}

function isBegun() {
  return practised && practised.practised + tests.length < practised.cases + practised.held_out;
}

function goOn() {
  if (!practised || practised.practised < practised.cases) send("practise");
  else if (tests.length < practised.held_out) send("test", { done: tests.length });
  else end(words.practice_done);
}

// Too much was asked for just now: it goes on by itself.
function rest(sentence) {
  said.textContent = sentence;
  setTimeout(() => isGoing && goOn(), WAIT_MS);
}

// What is being asked is waited for: nothing may be noted any more when somebody throws all of it away.
function stop() {
  if (!isAwaited) return end();
  isStopping = true;
  said.textContent = words.practice_stopping;
}

function end(sentence = "") {
  const wasGoing = isGoing;
  [isGoing, isStopping] = [false, false];
  show();
  if (!wasGoing) return;
  said.textContent = practised ? sentence || words.practice_stopped : "";
  if (practised?.practised) tellOthers();
}

function showForgotten(count) {
  forgetResult();
  said.textContent = count ? words.practice_thrown : words.practice_no_lessons;
  tellOthers();
}

function tellOthers() {
  window.dispatchEvent(new CustomEvent("noted:memory", { detail: "practice" }));
}

function forgetResult() {
  [practised, tests] = [null, []];
  show();
}

function show() {
  showButtons();
  showProgress();
  showBad(practised?.bad ?? []);
  showResult(practised, tests);
}

function showProgress() {
  bar.hidden = !isGoing;
  if (!isGoing) return;
  const { cases = 0, held_out: heldOut = 0, practised: done = 0, right = 0 } = practised ?? {};
  const isTesting = practised && done === cases;
  const counts = isTesting ? { done: tests.length, of: heldOut } : { done, of: cases, right };
  const named = Object.entries(counts).map(([name, count]) => [name, localNumber(count)]);
  const template = isTesting ? words.practice_testing : words.practice_learning;
  said.textContent = practised ? filled(template, Object.fromEntries(named)) : words.practice_begins;
  bar.setAttribute("aria-label", words.practice_title);
  bar.max = cases + heldOut || 1;
  bar.value = done + tests.length;
}

function showBad(lines) {
  find(".practice-bad").hidden = !lines.length;
  find(".practice-bad").replaceChildren(...lines.map((line) => make("li", "hint", line)));
}

function showButtons() {
  const go = make("button", "button small primary", isBegun() ? words.practice_go_on : words.practice_start);
  go.type = "submit";
  const stopping = makeButton("button small", words.practice_stop, stop);
  const start = find(".practice-start");
  if (start.querySelector("button")?.textContent === (isGoing ? stopping : go).textContent) return; // so that it can be pressed
  const hadFocus = start.contains(document.activeElement);
  start.replaceChildren(...(isGoing ? [stopping] : [go, ...fileButton(words.practice_file, ACCEPTED, (content) => (text.value = content))]));
  if (hadFocus) start.querySelector("button").focus({ preventScroll: true });
  text.readOnly = isGoing;
}

// Questions that were made elsewhere on the page, to be practised.
window.addEventListener("noted:practise", ({ detail }) => {
  if (isGoing) return;
  text.value = detail;
  find("details").open = true;
  find("details").scrollIntoView({ behavior: calmly() });
  text.focus({ preventScroll: true });
});
find(".drawer-title").textContent = words.practice_title;
find(".practice-what").textContent = words.practice_what;
find("label").textContent = words.practice_text;
text.placeholder = words.practice_text;
find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const refused = tooLong(text.value, props.longest);
  if (refused) refuse(refused);
  else if (text.value.trim()) begin();
  else text.focus();
});
