import assert from "node:assert/strict";
import { test } from "node:test";
import "./document.js";

const { asCsv, asTable } = await import("../../ui/static/shared/text.js");

const QUESTIONS = [{ question: 'Who found\n "the ring"?', answer: "Dana, Kim" }];

test("questions to practise are on one line each", () => {
  assert.equal(asTable(QUESTIONS), 'question\tanswer\nWho found "the ring"?\tDana, Kim');
});

test("questions in a CSV file stay as they were written", () => {
  assert.equal(asCsv(QUESTIONS), 'question,answer\n"Who found\n ""the ring""?","Dana, Kim"\n');
});
