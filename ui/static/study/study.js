// Generate study questions from a text, after showing the cost. Stop ends it; the results stay, and the same text resumes.

import { html, nothing } from "../shared/lit.js";
import { button, copyText, saveFile, scoreBars, written } from "../shared/panel.js";
import { createReader } from "../shared/reader.js";
import { tell, words } from "../shared/server.js";
import { asCsv, asTable, filled, howMany, isSame, localNumber, tooLong } from "../shared/text.js";

const reader = createReader("study", {
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
  result,
});
const { panel } = reader;
let begun = null; // current input: text, answers, and number of questions per passage
let planned = false; // whether the cost is shown and waits for consent
let places = 0;
let made = []; // passages, each with its best question, answer and scores, and the others; some without

const questions = () => made.filter(({ question }) => question);

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
  if (!planned && !isBegun()) {
    const mine = (begun = asked());
    made = [];
    panel.draw();
    const told = await panel.send("plan", mine);
    if (!told || mine !== begun) return;
    places = told.places;
    planned = told.calls > 0;
    if (planned) return panel.say(filled(words.study_cost, { places, samples: begun.samples, calls: told.calls }));
  }
  planned = false;
  reader.run();
}

// Consent applies to the current input only.
function typed() {
  if (planned) panel.say("");
  planned = false;
  panel.draw();
}

function progress() {
  const said = filled(words.study_progress, { done: made.length, of: places, made: questions().length });
  return { said, done: made.length, of: places };
}

function ended(isDone) {
  const count = questions().length;
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

function result() {
  const shown = questions();
  if (!shown.length) return nothing;
  const plain = shown.map(({ question, answer }) => `${question}\n${answer}`).join("\n\n");
  const save = (text, ending, type) => saveFile(text, "noted-questions", ending, type);
  const buttons = html`<div class="buttons">
    ${button("button small primary", words.study_practise, () => tell("practise", asTable(shown)))}
    ${button("button small", words.copy, ({ target }) => copyText(plain, target))}
    ${button("button small", words.study_csv, () => save(asCsv(shown), "csv", "text/csv"))}
    ${button("button small", words.study_json, () => save(JSON.stringify(made, null, 1), "json", "application/json"))}
  </div>`;
  return html`<ol class="rows scrolls" tabindex="0" aria-label=${words.study_title}>${shown.map(questionItem)}</ol>
    ${reader.isGoing() ? nothing : buttons}`;
}

function questionItem({ question, answer, scores, others }) {
  const isScored = Object.keys(scores).length > 0;
  return html`<li class="study-one">
    ${pair({ question, answer }, "study-question strong")}
    <details ?hidden=${!others.length}>
      <summary class="hint">${howMany("study_others", others.length)}</summary>
      ${isScored ? html`<p class="hint">${words.study_chosen}</p>${bars(scores)}` : nothing}
      <ul class="aside stack study-others">${others.map((other) => html`<li>${pair(other)}${bars(other.scores)}</li>`)}</ul>
    </details>
  </li>`;
}

function bars(scores) {
  return scoreBars(Object.entries(scores).map(([name, score]) => ({ by: `study_by_${name}`, score })));
}

function pair({ question, answer }, className = "") {
  return html`<p class=${className} dir="auto">${question}</p>
    <p class="hint">${words.study_answer} ${written(answer)}</p>`;
}

panel.draw();
