// Results of practice: held-out questions before and after, the learning curve, and each lesson.

import { html, nothing } from "../shared/lit.js";
import { written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { counted, filled, localNumber, localPercent } from "../shared/text.js";

const FEW = 10; // below this many cases a curve is meaningless
const FLIPS = ["wrong_right", "right_right", "wrong_wrong", "right_wrong"];

/** Return true if fewer held-out questions are right with the lessons than without. */
export function isWorse(tests) {
  return rightOf(tests, "after") < rightOf(tests, "before");
}

function rightOf(tests, when) {
  return tests.filter((test) => test[when]).length;
}

/** Render the results so far. */
export function practiceResult(practised, tests, isGoing) {
  return html`<div class="stack">
    ${tests.length ? heldOut(tests) : nothing} ${practised.practised < FEW ? nothing : curve(practised.curve)}
    ${practised.disagreeing ? disagreements(practised) : nothing} ${lessons(practised.lessons, tests, isGoing)}
  </div>`;
}

function heldOut(tests) {
  const numbers = { of: tests.length, before: rightOf(tests, "before"), after: rightOf(tests, "after") };
  const flipOf = ({ before, after }) => [before, after].map((right) => (right ? "right" : "wrong")).join("_");
  const flip = (name) => html`<div class="sunken">
    <dt class="hint">${words[`practice_${name}`]}</dt><dd class="strong">${localNumber(tests.filter((test) => flipOf(test) === name).length)}</dd>
  </div>`;
  return html`<p class="strong">${counted(words.practice_held_out, numbers)}</p>
    <dl class="practice-flips">${FLIPS.map(flip)}</dl>`;
}

// Render one bar per part of the cases, with its share of right answers as the height.
function curve(shares) {
  const percents = shares.map(localPercent);
  const name = filled(words.practice_curve, { shares: percents.join(", ") });
  const ends = filled(words.practice_curve_ends, { first: percents[0], last: percents.at(-1) });
  const bar = (share) =>
    html`<span .style=${`height: ${Math.max(2, 100 * share)}%`} title=${localPercent(share)}></span>`;
  return html`<figure>
    <div class="practice-bars" role="img" aria-label=${name}>${shares.map(bar)}</div>
    <figcaption class="hint">${ends}</figcaption>
  </figure>`;
}

// Render the cases that contradict earlier lessons.
function disagreements({ disagreeing, against }) {
  const item = ({ question, answer, learnt }) => html`<li class="spread">
    ${written(question)} ${written(filled(words.practice_says, { answer, learnt }), "hint")}
  </li>`;
  return titledList("practice-against", counted(words.practice_disagree, { count: disagreeing }), against.map(item));
}

function lessons(all, tests, isGoing) {
  if (!all.length) return isGoing ? nothing : html`<p class="hint">${words.practice_no_lessons}</p>`;
  const items = all.map((lesson) => withTests(lesson, tests)).sort((one, other) => other.used - one.used);
  return titledList("practice-lessons", counted(words.practice_lessons, { count: all.length }), items.map(lessonItem));
}

function withTests(lesson, tests) {
  const using = tests.filter((test) => test.used.includes(lesson.id));
  return { ...lesson, used: lesson.used + using.length, right: lesson.right + rightOf(using, "after") };
}

function lessonItem({ rule, used, right, declined, rests }) {
  const did = used ? counted(words.practice_used, { used, right }) : words.practice_unused;
  const notNeeded = declined && counted(words.practice_declined, { count: declined });
  const counts = [did, notNeeded, rests && words.practice_rests].filter(Boolean).join(" · ");
  return html`<li class="practice-lesson spread">${written(rule)} <span class="hint">${counts}</span></li>`;
}

function titledList(className, title, items) {
  return html`<p class="strong">${title}</p>
    <ul class="rows scrolls" tabindex="0" aria-label=${title}>${items}</ul>`;
}
