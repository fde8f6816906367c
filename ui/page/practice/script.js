// The same text is sent again and again, a little more of it practised each time. Stop ends the asking: what was
// practised is kept, and the same text goes on.

const name = "practice";
const labels = {
  title: words.practice_title,
  what: words.practice_what,
  text: words.practice_text,
  file: words.practice_file,
  stop: words.practice_stop,
  stopping: words.practice_stopping,
  stopped: words.practice_stopped,
};
const ACCEPTED = ".csv,.tsv,.txt,text/plain,text/csv";
let begun = {}; // the text that is practised, and whether its first line is a header
let practised = null; // what was last heard of the cases
let tests = [];

function receive(value) {
  if ("forgotten" in value) return showForgotten(value.forgotten);
  if ("kept" in value) return showKept();
  if (!isGoing) return;
  if (value.header) return isStopping ? end() : askHeader(value.header, answerHeader);
  if (value.tests) {
    if (value.from === tests.length) tests.push(...value.tests);
  } else practised = value;
  show();
  if (value.why) refuse(value.why);
  else if (isStopping && isBegun()) end();
  else if (value.wait) rest(value.wait);
  else goOn();
}

function begin() {
  if (text.value !== begun.text || !isBegun()) [begun, tests] = [{ text: text.value, header: null }, []];
  [practised, isGoing] = [null, true];
  show();
  goOn();
}

function answerHeader(header) {
  begun.header = header;
  show();
  goOn();
}

// Lessons with which fewer held-out questions are right are not offered.
function isWorthKeeping() {
  const isDone = practised?.practised === practised?.cases && tests.length === practised?.held_out;
  return isDone && !isWorse() && practised?.lessons.length > 0;
}

function isWorse() {
  return tests.filter((test) => test.after).length < tests.filter((test) => test.before).length;
}

function isBegun() {
  return practised && practised.practised + tests.length < practised.cases + practised.held_out;
}

function goOn() {
  if (!practised || practised.practised < practised.cases) send("practise", begun);
  else if (tests.length < practised.held_out) send("test", { ...begun, done: tests.length });
  else end(isWorse() ? words.practice_worse : words.practice_done);
}

function end(sentence = "") {
  const wasGoing = isGoing;
  [isGoing, isStopping] = [false, false];
  forgetHeader();
  show();
  if (!wasGoing) return;
  tellEnd(practised ? sentence || words.practice_stopped : "");
  if (practised?.practised) tellOthers();
}

function showForgotten(count) {
  forgetResult();
  said.textContent = count ? words.practice_thrown : words.practice_no_lessons;
  tellOthers();
}

function showKept() {
  forgetResult();
  text.value = "";
  said.textContent = words.practice_kept;
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

function showButtons() {
  showStart(isBegun() ? words.practice_go_on : words.practice_start, ACCEPTED);
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
showForm(begin);
