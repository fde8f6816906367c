// What came of it: how the held-out questions flipped, how it went while learning, and what each lesson did.

const FEW = 10; // cases, of which a curve would say nothing
const FLIPS = ["wrong_right", "right_right", "wrong_wrong", "right_wrong"];

function showResult(done, tested) {
  const result = find(".practice-result");
  const isThere = Boolean(done?.practised);
  result.hidden = !isThere;
  result.replaceChildren(...(isThere ? [...heldOut(tested), ...curveOf(done), ...againstOf(done), ...lessonsOf(done, tested)] : []));
  find(".practice-keep").hidden = isGoing || !isThere;
  const decide = (label, look, event) =>
    makeButton(`button small ${look}`, label, () => {
      find(".practice-keep").hidden = true;
      send(event, begun);
    });
  const keep = decide(words.practice_keep, "primary", "keep");
  const throwAway = decide(words.practice_throw, "", "forget");
  find(".practice-keep").replaceChildren(...(isWorthKeeping() ? [keep] : []), throwAway);
}

function heldOut(tested) {
  if (!tested.length) return [];
  const before = tested.filter((test) => test.before).length;
  const after = tested.filter((test) => test.after).length;
  const counts = { of: localNumber(tested.length), before: localNumber(before), after: localNumber(after) };
  const flips = make("dl", "practice-flips");
  for (const name of FLIPS) {
    const count = tested.filter((test) => flipOf(test) === name).length;
    const row = make("div");
    row.append(make("dt", "", words[`practice_${name}`]), make("dd", "", localNumber(count)));
    flips.append(row);
  }
  return [make("p", "practice-held-out", filled(words.practice_held_out, counts)), flips];
}

function flipOf({ before, after }) {
  return [before, after].map((right) => (right ? "right" : "wrong")).join("_");
}

// One bar for each part of the cases, as high as the share of right answers in it.
function curveOf({ curve: shares, practised: count }) {
  if (count < FEW) return [];
  const name = filled(words.practice_curve, { shares: shares.map(localPercent).join(", ") });
  const figure = make("figure", "practice-curve");
  const bars = make("div", "practice-bars");
  bars.setAttribute("role", "img");
  bars.setAttribute("aria-label", name);
  for (const share of shares) {
    const column = make("span");
    column.style.height = `${Math.max(2, 100 * share)}%`;
    column.title = localPercent(share);
    bars.append(column);
  }
  const ends = { first: localPercent(shares[0]), last: localPercent(shares.at(-1)) };
  figure.append(bars, make("figcaption", "hint", filled(words.practice_curve_ends, ends)));
  return [figure];
}

// The cases that say something else than what was learnt before.
function againstOf({ disagreeing, against }) {
  if (!disagreeing) return [];
  const list = make("ul", "rows practice-against");
  list.tabIndex = 0;
  list.setAttribute("aria-label", filled(words.practice_disagree, { count: localNumber(disagreeing) }));
  list.append(...against.map(againstRow));
  return [make("p", "practice-noted", list.getAttribute("aria-label")), list];
}

function againstRow({ question, answer, learnt }) {
  const row = make("li", "practice-case");
  const said = filled(words.practice_says, { answer, learnt });
  row.append(makeWritten("span", "", question), makeWritten("span", "hint", said));
  return row;
}

function lessonsOf({ lessons }, tested) {
  if (!lessons.length) return isGoing ? [] : [make("p", "hint", words.practice_no_lessons)];
  const counted = lessons.map((lesson) => withTests(lesson, tested)).sort((one, other) => other.used - one.used);
  const list = make("ul", "rows practice-lessons");
  list.tabIndex = 0;
  list.setAttribute("aria-label", filled(words.practice_lessons, { count: localNumber(lessons.length) }));
  list.append(...counted.map(lessonRow));
  return [make("p", "practice-noted", list.getAttribute("aria-label")), list];
}

function withTests(lesson, tested) {
  const using = tested.filter((test) => test.used.includes(lesson.id));
  return { ...lesson, used: lesson.used + using.length, right: lesson.right + using.filter((test) => test.after).length };
}

function lessonRow({ rule, used, right, declined, rests }) {
  const row = make("li", "practice-lesson");
  const counts = { used: localNumber(used), right: localNumber(right) };
  const did = used ? filled(words.practice_used, counts) : words.practice_unused;
  const notNeeded = declined && filled(words.practice_declined, { count: localNumber(declined) });
  const all = [did, notNeeded, rests && words.practice_rests].filter(Boolean).join(" · ");
  row.append(makeWritten("span", "", rule), make("span", "hint", all));
  return row;
}

show();
listenToReader(receive);
