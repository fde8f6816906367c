import assert from "node:assert/strict";
import { test } from "node:test";
import "./document.js";

const {
  called,
  erasureQuestion,
  filled,
  fullStop,
  groupedBy,
  howMany,
  lineOf,
  dayName,
  lineFields,
  tooLong,
  writtenIn,
} = await import("../../ui/static/shared/text.js");

test("names are filled in, and unknown ones stay", () => {
  assert.equal(filled("{a} of {b}, {c}", { a: 1, b: "{a}" }), "1 of {a}, {c}");
});

test("numbers in a sentence are written as the page writes them", () => {
  assert.equal(filled("{count} of {name}", { count: 1234.56, name: "them" }), "1,234.6 of them");
});

test("a number has the form that the language has for it", () => {
  assert.deepEqual([howMany("notes", 1), howMany("notes", 1200)], ["1 note", "1,200 notes"]);
});

test("texts are counted as the server counts", () => {
  assert.equal(tooLong(" 😀😀 ", 2), "");
  assert.equal(tooLong("😀😀😀", 2), "3 of 2");
});

test("a text shows its language by its script", () => {
  assert.deepEqual(
    ["गरम", "ਗਰਮ", "garam"].map((text) => writtenIn(text, "")),
    ["hi", "pa", ""],
  );
});

test("who speaks is stored as I, and called you", () => {
  assert.deepEqual([called("I"), called("Ann")], ["you", "Ann"]);
  assert.deepEqual(
    lineFields(["we", "live in", "Ann"]).map(({ value }) => value),
    ["we", "live in", "Ann"],
  );
  assert.equal(lineOf([" I ", "lives in", "a|b"]), "I | lives in | a b");
});

test("days are named as people say them, and group what happened on them in order", () => {
  const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString();
  const days = [0, 0, 1].map((ago) => ({ when: day(ago) }));
  const groups = groupedBy(days, ({ when }) => dayName(when));
  assert.deepEqual(
    groups.map(([name, items]) => [name, items.length]),
    [
      ["Today", 2],
      ["Yesterday", 1],
    ],
  );
  assert.match(dayName("2020-05-03T12:00"), /2020/);
});

test("a sentence gets the full stop of its script, once", () => {
  assert.deepEqual(
    ["My manager is Dana", "Is it?", "He said “no.”", "गरम", "ਗਰਮ।"].map((text) => fullStop(text, "en")),
    [".", "", "", "।", ""],
  );
  assert.equal(fullStop("a synonym", "hi"), "।");
});

test("what is deleted with something is said before", () => {
  assert.equal(erasureQuestion({ blanked: 2, notes: 1 }), "Sure? Also 1 note. 2 blank.");
  assert.equal(erasureQuestion({ blanked: 0 }), "Sure? Alone.");
});
