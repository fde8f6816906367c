"""Fit the gate for facts, as for clarifications.

An irrelevant fact costs less than a missing one: it corrects nothing, and a reader can ignore it. So look-alikes have a
lower weight than questions that need a fact.
"""

from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from assistant.gate.gate import Evidence
from assistant.types import NewEntry
from evaluation.decisions.benchmark import Benchmark, DecisionCase, StoredEntry
from evaluation.decisions.misunderstandings import load_decision_set
from evaluation.gate.fitting import EMBEDDERS, find_candidates, format_regression
from evaluation.gate.regression import Pairs, fit
from evaluation.harness.dataset import Dataset
from evaluation.harness.simulated_user import build_fact_draft

LOOK_ALIKE, EVERYDAY = 0.3, 0.2  # weights of such questions; one that needs a fact has 1
FEATURES = ("near", "letters")
MOST_SHOWN = 5  # facts per question; those beyond are never used
OFFER = 0.15  # lowest probability to offer a fact; see docs/decisions/0042


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


def fit_fact_regressions() -> dict[str, Any]:
    """Return the regressions of the gate by evidence; a fact is retrieved by its text only."""
    found = {}
    for evidence in (Evidence.LETTERS, Evidence.ASKED):
        judged = (
            one
            for memory in load_fact_memories()
            for one in find_candidates(memory, EMBEDDERS[evidence], _build_entry, most=MOST_SHOWN)
        )
        found[evidence.value] = format_regression(*fit(Pairs.of(FEATURES, judged))) | {"offer": OFFER, "show": OFFER}
    return found


def _build_entry(fact: StoredEntry, *_: object) -> NewEntry:
    return build_fact_draft(fact.feedback, told_at=fact.question)


def load_fact_memories() -> list[Benchmark]:
    """Return the facts with their questions, with look-alikes, and with everyday questions of other sets."""
    cases = [_build_case(case) for case in FACT_CASES.lines("fit")]
    entries = [StoredEntry(fact.id, fact.asked, fact.text) for fact in FACTS.lines("fit")]
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
