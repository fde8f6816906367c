// Generate study questions from a text, after showing the cost. Stop ends it; the results stay, and the same text resumes.

import { html } from "../shared/lit.js";
import { createReader } from "../shared/reader.js";
import { words } from "../shared/server.js";
import { filled, isSame, localNumber, tooLong } from "../shared/text.js";
import { madeQuestions, questionsOf } from "./questions.js";

const reader = createReader("study", {
  word: (key) => words[`study_${key}`],
  accepted: ".txt,.md,text/plain",
  goesOn: true,
  label: () => (isBegun() ? words.study_go_on : planned ? words.study_start : words.study_make),
  begin,
  next: () => (made.length < places ? ["make", { ...begun, done: made.length }] : null),
  take: (told) => made.push(...(told.made ?? [])),
  progress,
  ended,
  fields,
  typed,
  result: () => madeQuestions(made, reader.isGoing()),
});
const { panel } = reader;
let begun = null; // current input: text, answers, and number of questions per passage
let planned = false; // whether the cost is shown and waits for consent
let places = 0;
let made = [];

function asked() {
  const [text, answers, samples] = ["text", "answers", "samples"].map((name) => panel.find(`#study-${name}`).value);
  return { text, answers, samples: Number(samples) };
}

function isBegun() {
  return made.length > 0 && made.length < places && isSame(begun, asked());
}

// Show the cost first; start at once if there is none.
async function begin() {
  const refused = tooLong(asked().answers, panel.props.longest);
  if (refused) return panel.refuse(refused);
  if (planned || isBegun()) return start();
  const mine = (begun = asked());
  [planned, made] = [false, []];
  panel.draw();
  const told = await panel.send("plan", mine);
  if (!told || mine !== begun) return;
  places = told.places;
  if (!told.calls) return start();
  planned = true;
  reader.say(filled(words.study_cost, { places, samples: begun.samples, calls: told.calls }));
}

function start() {
  planned = false;
  return reader.run();
}

// Consent applies to the current input only.
function typed() {
  if (planned) reader.say("");
  planned = false;
  panel.draw();
}

function progress() {
  const said = filled(words.study_progress, { done: made.length, of: places, made: questionsOf(made).length });
  return { said, done: made.length, of: places };
}

function ended(isDone) {
  const count = questionsOf(made).length;
  if (isDone) return count ? filled(words.study_done, { made: count, of: places }) : words.study_none;
  return made.length || !panel.problem ? words.study_stopped : "";
}

function fields() {
  const counts = Array.from({ length: panel.props.most }, (_, place) => place + 1);
  const option = (count) =>
    html`<option value=${count} ?selected=${count === panel.props.samples}>${localNumber(count)}</option>`;
  return html`<label class="hint" for="study-answers">${words.study_answers}</label>
    <textarea id="study-answers" rows="2" dir="auto" ?readonly=${reader.isGoing()} @input=${typed}></textarea>
    <div class="row">
      <label class="hint" for="study-samples">${words.study_samples}</label>
      <select class="field-s" id="study-samples" ?disabled=${reader.isGoing()} @input=${typed}>${counts.map(option)}</select>
    </div>`;
}

panel.draw();
