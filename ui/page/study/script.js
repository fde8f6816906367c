// A text is asked about, a few places at a time; what that costs is said before. Stop ends the asking: what was made
// stays, and the same text goes on.

const name = "study";
const labels = {
  title: words.study_title,
  what: words.study_what,
  text: words.study_text,
  file: words.study_file,
  stop: words.study_stop,
  stopping: words.study_stopping,
  stopped: words.study_stopped,
};
const answers = find("#study-answers");
const samples = find("#study-samples");
let begun = null; // what is asked about: the text, the answers, and how many questions are written each time
let planned = null; // what that costs, where it waits to be agreed to
let places = 0;
let made = [];

const asked = () => ({ text: text.value, answers: answers.value, samples: Number(samples.value) });
const isBegun = () => made.length > 0 && made.length < places && isSame(begun, asked());

function receive(value) {
  if (!value.made) return plan(value);
  if (!isGoing) return;
  if (value.from === made.length) made.push(...value.made);
  show();
  if (value.why) refuse(value.why);
  else if (made.length >= places) end(doneWords());
  else if (isStopping) end(words.study_stopped);
  else if (value.wait) rest(value.wait);
  else goOn();
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
  const refused = tooLong(answers.value, props.longest);
  if (refused) return refuse(refused);
  if (planned || isBegun()) return start();
  [begun, planned, made] = [asked(), null, []];
  send("plan", begun);
  show();
}

function start() {
  [planned, isGoing, isStopping] = [null, true, false];
  show();
  goOn();
}

function goOn() {
  send("make", { ...begun, done: made.length });
}

function end(sentence = "") {
  const wasGoing = isGoing;
  [isGoing, isStopping] = [false, false];
  show();
  if (wasGoing) tellEnd(sentence || (made.length ? words.study_stopped : ""));
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
  showStart(isBegun() ? words.study_go_on : planned ? words.study_start : words.study_make, ".txt,.md,text/plain");
  for (const field of [text, answers]) field.readOnly = isGoing;
  samples.disabled = isGoing;
}

find('label[for="study-answers"]').textContent = words.study_answers;
find('label[for="study-samples"]').textContent = words.study_samples;
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
showForm(begin);
