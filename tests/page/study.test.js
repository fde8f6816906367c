import assert from "node:assert/strict";
import { test } from "node:test";
import "./document.js";

const { asCsv, asTable } = await import("../../ui/static/study/questions.js");

const MADE = [
  { question: 'Who found\n "the ring"?', answer: "Dana, Kim", others: [{ question: "What?", answer: "it" }] },
  { question: "", answer: "", others: [] },
];

test("the best question of each place is practised, on one line", () => {
  assert.equal(asTable(MADE), 'question\tanswer\nWho found "the ring"?\tDana, Kim');
});

test("questions in a CSV file stay as they were written", () => {
  assert.equal(asCsv(MADE), 'question,answer\n"Who found\n ""the ring""?","Dana, Kim"\n');
});
