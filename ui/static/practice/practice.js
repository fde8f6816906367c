// Practice follows what the model does with a text. After Stop, the results are kept, and the same text resumes.

import { button } from "../shared/panel.js";
import { headerQuestion } from "../shared/files.js";
import { html, nothing } from "../shared/lit.js";
import { createReader } from "../shared/reader.js";
import { tell, words } from "../shared/server.js";
import { counted } from "../shared/text.js";
import { isWorse, practiceResult } from "./result.js";

const reader = createReader("practice", {
  word: (key) => words[`practice_${key}`],
  accepted: ".csv,.tsv,.txt,text/plain,text/csv",
  isNeeded: true,
  goesOn: true,
  label: () => (isBegun() ? words.practice_go_on : words.practice_start),
  begin,
  next,
  take,
  progress,
  ended,
  result,
});
const { panel } = reader;
let begun = { text: "", header: null }; // the current text, and whether its first line is a header
let practised = null; // last results of the cases
let tested = []; // results of held-out questions before the last start
let tests = []; // all of them
let headerAsked = null; // pending question about the header, with its continuation
let isDeciding = false;

function isBegun() {
  return practised && practised.practised + tests.length < practised.cases + practised.held_out;
}

function begin(text) {
  if (text !== begun.text || !isBegun()) [begun, tests] = [{ text, header: null }, []];
  practised = null;
  reader.run();
}

/** @returns {[string, object] | null} */
function next() {
  if (practised && !isBegun()) return null;
  tested = tests;
  return ["practise", { ...begun, tested: tested.length }];
}

function take(told) {
  if (told.header) return askHeader(told.header);
  if (!told.tests) return;
  practised = told;
  tests = [...tested, ...told.tests];
}

async function askHeader(question) {
  begun.header = await new Promise((answer) => {
    headerAsked = { question, answer };
    reader.say("");
  });
  headerAsked = null;
  panel.find("[type=submit]").focus({ preventScroll: true });
}

function progress() {
  if (!practised) return { said: words.practice_begins, done: 0, of: 0 };
  const { cases, held_out: heldOut, practised: done, right } = practised;
  const said =
    done === cases
      ? counted(words.practice_testing, { done: tests.length, of: heldOut })
      : counted(words.practice_learning, { done, of: cases, right });
  return { said, done: done + tests.length, of: cases + heldOut };
}

function ended(isDone) {
  headerAsked = null;
  if (practised?.practised) tell("memory", "practice");
  if (isDone) return isWorse(tests) ? words.practice_worse : words.practice_done;
  return practised ? words.practice_stopped : "";
}

async function decide(event) {
  isDeciding = true;
  panel.draw();
  const told = await reader.ask(event, begun);
  isDeciding = false;
  if (!told) return panel.draw();
  const thrown = told.forgotten ? words.practice_thrown : words.practice_no_lessons;
  [practised, tests] = [null, []];
  if (event === "keep") reader.field().value = "";
  reader.say(event === "keep" ? words.practice_kept : thrown);
  tell("memory", "practice");
}

function result() {
  const isThere = practised?.practised > 0;
  return html`${headerQuestion(panel, headerAsked?.question, headerAsked?.answer)}
    ${isThere ? practiceResult(practised, tests, reader.isGoing()) : nothing}
    ${isThere && !reader.isGoing() && !isDeciding ? decisionButtons() : nothing}`;
}

// Do not offer lessons with which fewer held-out questions are right.
function decisionButtons() {
  const isDone = next() === null;
  const isWorthKeeping = isDone && !isWorse(tests) && practised.lessons.length > 0;
  return html`<div class="buttons">
    ${isWorthKeeping ? button("button small primary", words.practice_keep, () => decide("keep")) : nothing}
    ${button("button small", words.practice_throw, () => decide("forget"))}
  </div>`;
}

/** Fill in study questions from another card. */
export function practise(lines) {
  if (reader.isGoing()) return;
  reader.field().value = lines;
  reader.field().focus({ preventScroll: true });
}

panel.draw();
