"""Data for fitting the gate: memories, and questions with the entry that each needs."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from evaluation.decisions.benchmark import Benchmark, DecisionCase, StoredEntry
from evaluation.decisions.misunderstandings import load_decision_set
from evaluation.harness.dataset import Dataset

# Weights of questions that need no fact; one that needs one has 1. An irrelevant fact costs less than a missing one: it
# corrects nothing, and a reader can ignore it.
LOOK_ALIKE, EVERYDAY = 0.3, 0.2


class ToldFact(BaseModel):
    """A fact, and the question at which it was told, if any."""

    id: str
    text: str
    asked: str
    lang: str


class FactCase(BaseModel):
    """A question, and the facts that a careful friend would need for the answer."""

    question: str
    bears: tuple[str, ...]
    near: str | None  # for a look-alike, the fact with shared words
    kind: str  # `direct`, `reworded`, `rests` (follows in one step), `other-script`, `look-alike` or `everyday`
    lang: str


_SPLITS = ("fit", "test")  # `test` was unseen by those who made the gate
FACTS = Dataset("facts", ToldFact, _SPLITS, "facts_{split}_facts.jsonl")
FACT_CASES = Dataset("facts-shown", FactCase, _SPLITS, "facts_{split}_questions.jsonl")


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


def load_fact_memories() -> list[Benchmark]:
    """Return the facts with their questions, with look-alikes, and with everyday questions of other sets."""
    cases = [_build_case(case) for case in FACT_CASES.lines("fit")]
    entries = [StoredEntry(fact.id, fact.asked or fact.text, fact.text) for fact in FACTS.lines("fit")]
    asked = Benchmark(entries, cases)
    everyday = [case for name in ("first", "second") for case in load_decision_set(name, keys=False).questions]
    return [
        replace(asked, questions=[case for case in cases if not case.is_look_alike]),
        replace(asked, questions=[case for case in cases if case.is_look_alike], weight=LOOK_ALIKE),
        replace(asked, questions=[case for case in everyday if case.is_everyday], weight=EVERYDAY),
    ]


def _build_case(case: FactCase) -> DecisionCase:
    applies, *others = case.bears or (None,)
    return DecisionCase(case.question, applies, case.kind, case.lang, as_good=frozenset(filter(None, others)))
