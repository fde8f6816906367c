"""Data for fitting the gate: memories, and questions with the entry that each needs."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.decisions.benchmark import Benchmark, DecisionCase, StoredEntry

PAIRS = Path(__file__).with_name("gate_pairs.jsonl")
WAYS = PAIRS.with_name("ways.jsonl")


def load_word_pairs() -> Benchmark:
    """Return questions about words by people with individual wordings; see the file."""
    rows = _read(PAIRS)
    stored = [row for row in rows if "everyday" not in row]
    groups: dict[str, set[str]] = defaultdict(set)
    for row in stored:
        groups[row["group"]].add(row["id"])
    cases = [DecisionCase(row["everyday"], None) for row in rows if "everyday" in row]
    for row in stored:
        as_good = frozenset(groups[row["group"]] - {row["id"]})
        cases += [DecisionCase(text, row["id"], as_good=as_good) for text in row["yes"]]
        cases += [DecisionCase(text, None, as_good=as_good) for text in row["look_alikes"]]
    return Benchmark([*map(_build_entry, stored)], cases)


def load_ways_to_ask(seed: int, *, keys: bool = False) -> Benchmark:
    """Return ways to ask for a word, each corrected once and asked about other words, with typos, and look-alikes.

    An entry of another way of the same type says the same, so it is as good; see decision 23.
    """
    rows = [row for row in _read(WAYS) if row["seed"] == seed]
    stored = [row for row in rows if "id" in row]
    entries = [replace(_build_entry(row), keys=tuple(row["keys"]) if keys else ()) for row in stored]
    cases = [DecisionCase(row["question"], row["applies"]) for row in rows if "applies" in row]
    for at, case in enumerate(cases):
        kind = str(case.applies).partition("-")[0]
        as_good = frozenset(entry.id for entry in entries if str(entry.id).partition("-")[0] == kind)
        cases[at] = replace(case, as_good=as_good - {case.applies} if case.applies else frozenset())
    return Benchmark(entries, cases)


def _build_entry(row: Mapping[str, Any]) -> StoredEntry:
    return StoredEntry(row["id"], row["question"], row["feedback"], row["wrong_understanding"])


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def load_intents(path: Path, stored: int, most: int, seed: int = 0) -> Benchmark:
    """Return CLINC150 with an entry per intent, `stored` of its questions, and at most `most` other questions.

    Reads only `train` and `oos_train` of `dev.json`. Stored questions but the first count as model-written keys.
    """
    data = json.loads((path / "dev.json").read_text(encoding="utf-8"))
    chance = random.Random(seed)  # noqa: S311  a repeatable choice is wanted
    examples: dict[str, list[str]] = defaultdict(list)
    for text, intent in data["train"]:
        examples[intent].append(text)
    entries, others = [], []
    for intent in sorted(examples):
        asked = chance.sample(examples[intent], stored)
        keys = tuple(asked[1:])
        entries.append(StoredEntry(intent, asked[0], f"this is about: {intent.replace('_', ' ')}", keys=keys))
        others += [DecisionCase(text, intent) for text in examples[intent] if text not in asked]
    cases = chance.sample(others, min(most, len(others))) + [DecisionCase(text, None) for text, _ in data["oos_train"]]
    return Benchmark(entries, cases)
