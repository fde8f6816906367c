import assert from "node:assert/strict";
import { test } from "node:test";
import "./document.js";

const { called, counted, filled, howMany, lineOf, toWrite, tooLong, writtenIn } =
  await import("../../ui/static/shared/text.js");

test("names are filled in, and unknown ones stay", () => {
  assert.equal(filled("{a} of {b}, {c}", { a: 1, b: "{a}" }), "1 of {a}, {c}");
});

test("numbers in a sentence are written as the page writes them", () => {
  assert.equal(counted("{count} of {name}", { count: 1234.56, name: "them" }), "1,234.6 of them");
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
  assert.deepEqual([called("I"), toWrite("we"), called("Ann")], ["you", "we", "Ann"]);
  assert.equal(lineOf([" I ", "lives in", "a|b"]), "I | lives in | a b");
});
