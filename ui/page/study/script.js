// A text is asked about, a few places at a time; what that costs is said before. Stop ends the asking: what was made
// stays, and the same text goes on.

const find = (selector) => element.querySelector(selector);
const text = find("#study-text");
const answers = find("#study-answers");
const samples = find("#study-samples");
const said = find(".drawer-said");
const problem = find(".problem");
const bar = find(".progress-bar");
const WAIT_MS = 5000;
let stopWatching = () => {};
let begun = null; // what is asked about: the text, the answers, and how many questions are written each time
let planned = null; // what that costs, where it waits to be agreed to
let isGoing = false;
let isAwaited = false; // something is being made on the server
let isStopping = false;
let places = 0;
let made = [];

const asked = () => ({ text: text.value, answers: answers.value, samples: Number(samples.value) });
const isBegun = () => made.length > 0 && made.length < places && isSame(begun, asked());

function send(event, data = {}) {
  stopWatching();
  stopWatching = watchServer(() => refuse(words.lost));
  isAwaited = true;
  trigger(event, { ...begun, ...data, at: Date.now() });
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
  if (!value.made) return plan(value);
  if (!isGoing) return;
  if (value.from === made.length) made.push(...value.made);
  show();
  if (value.why) refuse(value.why);
  else if (made.length >= places) end(doneWords());
  else if (isStopping) end(words.study_stopped);
  else if (value.wait) rest(value.wait);
  else send("make", { done: made.length });
}

// What it costs is said first; what costs nothing begins at once.
function plan(value) {
  places = value.places;
  if (!value.calls) return start();
  planned = value;
  const counts = { places, samples: begun.samples, calls: value.calls };
  said.textContent = filled(words.study_cost, Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, localNumber(count)])));
  show();
}

function begin() {
  if (isBegun()) return start();
  [begun, planned, made] = [asked(), null, []];
  send("plan");
  show();
}

function start() {
  [planned, isGoing, isStopping] = [null, true, false];
  show();
  send("make", { done: made.length });
}

// Too much was asked for just now: it goes on by itself.
function rest(sentence) {
  said.textContent = sentence;
  setTimeout(() => isGoing && send("make", { done: made.length }), WAIT_MS);
}

function stop() {
  if (!isAwaited) return end(words.study_stopped);
  isStopping = true;
  said.textContent = words.study_stopping;
}

function end(sentence = "") {
  const wasGoing = isGoing;
  [isGoing, isStopping] = [false, false];
  show();
  if (wasGoing) said.textContent = sentence || (made.length ? words.study_stopped : "");
}

function doneWords() {
  const count = keptOnes().length;
  return count ? filled(words.study_done, { made: localNumber(count), of: localNumber(places) }) : words.study_none;
}

function show() {
  showButtons();
  bar.hidden = !isGoing;
  bar.setAttribute("aria-label", words.study_title);
  bar.max = places || 1;
  bar.value = made.length;
  if (isGoing) {
    const counts = { done: localNumber(made.length), of: localNumber(places), made: localNumber(keptOnes().length) };
    said.textContent = filled(words.study_progress, counts);
  }
  showMade();
}

function showButtons() {
  const go = make("button", "button small primary", isBegun() ? words.study_go_on : planned ? words.study_start : words.study_make);
  go.type = "submit";
  const stopping = makeButton("button small", words.study_stop, stop);
  const start = find(".study-start");
  if (start.querySelector("button")?.textContent === (isGoing ? stopping : go).textContent) return; // so that it can be pressed
  const hadFocus = start.contains(document.activeElement);
  const files = fileButton(words.study_file, ".txt,.md,text/plain", (content) => (text.value = content));
  start.replaceChildren(...(isGoing ? [stopping] : [go, ...files]));
  if (hadFocus) start.querySelector("button").focus({ preventScroll: true });
  for (const field of [text, answers]) field.readOnly = isGoing;
  samples.disabled = isGoing;
}

find(".drawer-title").textContent = words.study_title;
find(".study-what").textContent = words.study_what;
find('label[for="study-text"]').textContent = words.study_text;
find('label[for="study-answers"]').textContent = words.study_answers;
find('label[for="study-samples"]').textContent = words.study_samples;
text.placeholder = words.study_text;
for (let count = 1; count <= props.most; count += 1) {
  const option = make("option", "", localNumber(count));
  option.value = count;
  option.selected = count === props.samples;
  samples.append(option);
}
// What was agreed to is what stands there.
for (const field of [text, answers, samples])
  field.addEventListener("input", () => {
    if (planned) [planned, said.textContent] = [null, ""];
    showButtons();
  });
find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const refused = tooLong(text.value, props.longest) || tooLong(answers.value, props.longest);
  if (refused) refuse(refused);
  else if (planned) start();
  else if (text.value.trim()) begin();
  else text.focus();
});
