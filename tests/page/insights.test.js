import assert from "node:assert/strict";
import { test } from "node:test";
import "./document.js";

const { words } = await import("../../ui/static/shared/server.js");
const { roundUp } = await import("../../ui/static/insights/plots.js");
const { sections } = await import("../../ui/static/insights/sections.js");

test("a scale ends with an even number above the largest value", () => {
  assert.deepEqual(
    [0, 4, 5, 11, 21, 41].map((value) => roundUp(value)),
    [4, 4, 10, 20, 40, 100],
  );
  assert.equal(roundUp(0.0015, 0.000001).toFixed(4), "0.0020");
});

test("a part that has nothing to show is left out", () => {
  words.costs_sentence = "{sum} since {from}";
  const nothing = { stretches: [], used: 0, worked: [], times: { answers: 0 }, taken: { answers: 0 }, spent: [] };
  assert.deepEqual(sections(nothing, 300), [null, null, null, null, null]);
  const spent = [{ day: "2026-11-30", dollars: 0.5 }];
  assert.deepEqual(sections({ ...nothing, spent }, 300).map(Boolean), [false, false, false, false, true]);
});
