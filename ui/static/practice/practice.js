// Practice follows what the model does with a text. After Stop, the results are kept, and the same text resumes.

import { button, headerQuestion, written } from "../shared/panel.js";
import { html, nothing } from "../shared/lit.js";
import { createReader } from "../shared/reader.js";
import { tell, words } from "../shared/server.js";
import { filled, localNumber, localPercent } from "../shared/text.js";

const FEW = 10; // below this many cases a curve is meaningless
const FLIPS = ["wrong_right", "right_right", "wrong_wrong", "right_wrong"];

const reader = createReader("practice", {
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
  return practised && practised.learnt_from + tests.length < practised.of;
}

function begin(text) {
  if (text !== begun.text || !isBegun()) [begun, tests] = [{ text, header: null }, []];
  practised = null;
  reader.run();
}

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
    panel.say("");
  });
  headerAsked = null;
  panel.find("[type=submit]").focus({ preventScroll: true });
}

function progress() {
  if (headerAsked) return { said: "", done: 0, of: 0 };
  if (!practised) return { said: words.practice_begins, done: 0, of: 0 };
  const { of, held_out: heldOut, learnt_from: done, right } = practised;
  const cases = of - heldOut;
  const learning = filled(words.practice_learning, { done, of: cases, right });
  const said = done < cases ? learning : filled(words.practice_testing, { done: tests.length, of: heldOut });
  return { said, done: done + tests.length, of };
}

function ended(isDone) {
  headerAsked = null;
  if (practised?.learnt_from) tell("memory", "practice");
  if (isDone) return isWorse() ? words.practice_worse : words.practice_done;
  return practised ? words.practice_stopped : "";
}

async function decide(event) {
  isDeciding = true;
  panel.draw();
  const told = await panel.send(event, begun);
  isDeciding = false;
  if (!told) return panel.draw();
  const thrown = told.forgotten ? words.practice_thrown : words.practice_no_lessons;
  [practised, tests] = [null, []];
  if (event === "keep") reader.field().value = "";
  panel.say(event === "keep" ? words.practice_kept : thrown);
  tell("memory", "practice");
}

const rightOf = (some, when) => some.filter((test) => test[when]).length;

// Return true if fewer held-out questions are right with the lessons than without.
const isWorse = () => rightOf(tests, "after") < rightOf(tests, "before");

function result() {
  const question = headerQuestion(panel, headerAsked?.question, headerAsked?.answer);
  if (!practised?.learnt_from) return question;
  return html`${question}
    <div class="stack">
      ${tests.length ? heldOut() : nothing} ${practised.learnt_from < FEW ? nothing : curve(practised.curve)}
      ${practised.disagreeing ? disagreements(practised) : nothing} ${lessons()}
    </div>
    ${reader.isGoing() || isDeciding ? nothing : decisionButtons()}`;
}

// Do not offer lessons with which fewer held-out questions are right.
function decisionButtons() {
  const isWorthKeeping = next() === null && !isWorse() && practised.lessons.length > 0;
  return html`<div class="buttons">
    ${isWorthKeeping ? button("button small primary", words.practice_keep, () => decide("keep")) : nothing}
    ${button("button small", words.practice_throw, () => decide("forget"))}
  </div>`;
}

function heldOut() {
  const numbers = { of: tests.length, before: rightOf(tests, "before"), after: rightOf(tests, "after") };
  const flips = tests.map(({ before, after }) => [before, after].map((right) => (right ? "right" : "wrong")).join("_"));
  const flip = (name) => html`<div class="sunken">
    <dt class="hint">${words[`practice_${name}`]}</dt>
    <dd class="strong">${localNumber(flips.filter((one) => one === name).length)}</dd>
  </div>`;
  return html`<p class="strong">${filled(words.practice_held_out, numbers)}</p>
    <dl class="row practice-flips">${FLIPS.map(flip)}</dl>`;
}

// Render one bar per part of the cases, with its share of right answers as the height.
function curve(shares) {
  const percents = shares.map(localPercent);
  const name = filled(words.practice_curve, { shares: percents.join(", ") });
  const ends = filled(words.practice_curve_ends, { first: percents[0], last: percents.at(-1) });
  const bar = (share) => html`<span .style=${`height: ${Math.max(2, 100 * share)}%`}></span>`;
  return html`<figure>
    <div class="practice-bars" role="img" aria-label=${name}>${shares.map(bar)}</div>
    <figcaption class="hint">${ends}</figcaption>
  </figure>`;
}

// Render the cases that contradict earlier lessons.
function disagreements({ disagreeing, against }) {
  const item = ({ question, answer, said: learnt }) => html`<li class="spread">
    ${written(question)} ${written(filled(words.practice_says, { answer, learnt }), "hint")}
  </li>`;
  return titledList(filled(words.practice_disagree, { count: disagreeing }), against.map(item));
}

// Render the lessons, those used most first, with their uses in held-out questions.
function lessons() {
  const all = practised.lessons.map((one) => {
    const using = tests.filter((test) => test.used.includes(one.entry));
    return { ...one, used: one.used + using.length, right: one.right + rightOf(using, "after") };
  });
  if (!all.length) return reader.isGoing() ? nothing : html`<p class="hint">${words.practice_no_lessons}</p>`;
  const items = all.sort((one, other) => other.used - one.used).map(lessonItem);
  return titledList(filled(words.practice_lessons, { count: all.length }), items);
}

function lessonItem({ lesson, used, right, declined, paused }) {
  const did = used ? filled(words.practice_used, { used, right }) : words.practice_unused;
  const notNeeded = declined && filled(words.practice_declined, { count: declined });
  const counts = [did, notNeeded, paused && words.practice_rests].filter(Boolean).join(" · ");
  return html`<li class="practice-lesson spread">${written(lesson)} <span class="hint">${counts}</span></li>`;
}

function titledList(title, items) {
  return html`<p class="strong">${title}</p>
    <ul class="rows scrolls" tabindex="0" aria-label=${title}>${items}</ul>`;
}

/** Fill in study questions from another card. */
export function practise(lines) {
  if (reader.isGoing()) return;
  reader.field().value = lines;
  reader.field().focus({ preventScroll: true });
}

panel.draw();
