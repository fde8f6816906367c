"""The gate for facts, fitted as that for clarifications is: when a fact bears on a question.

A useless fact costs little beside one that is missing: it corrects nothing, and a reader can leave it. So what is only
like a fact (a look-alike) counts less than a question that no fact of the user bears on.
"""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from assistant.gate.gate import Evidence
from assistant.kinds import FACT, Fact
from assistant.ports import Embedder
from assistant.types import Entry, Key, Status
from evaluation.decisions.benchmark import Case
from evaluation.gate.data import OWNER, Remembered, decisions
from evaluation.gate.fitting import candidates_of, regression
from evaluation.gate.regression import Pairs, fit
from evaluation.harness.dataset import Dataset
from memory_store.vectors.rows import Part

LOOK_ALIKE, EVERYDAY = 0.3, 0.2  # how much a question of these counts beside one that a fact bears on
FEATURES = ("near", "letters")
OFFER = 0.15  # least probability to offer a fact; see docs/decisions/0042


class ToldFact(BaseModel):
    """A fact, and the question that it was told at; empty where it was told by itself."""

    id: str
    text: str
    asked: str
    lang: str


class FactCase(BaseModel):
    """A question, and the facts that bear on it: with them a careful friend would answer otherwise."""

    question: str
    bears: tuple[str, ...]
    near: str | None  # the fact whose words it shares, where it is a look-alike
    kind: str  # `direct`, `reworded`, `rests` (on the fact, in one step), `other-script`, `look-alike` or `everyday`
    lang: str


_SPLITS = ("fit", "test")  # `test` was seen by nobody who made the gate
FACTS = Dataset("facts", ToldFact, _SPLITS, "facts_{split}_facts.jsonl")
FACT_CASES = Dataset("facts-shown", FactCase, _SPLITS, "facts_{split}_questions.jsonl")


def fact_regressions(embedder: Embedder) -> dict[str, Any]:
    """Return the regressions of the gate, by evidence: the text of a fact is all that it is found by."""
    found = {}
    for evidence, reader in ((Evidence.LETTERS, None), (Evidence.ASKED, embedder)):
        pairs = [(memory, candidates_of(memory, reader, Part.ASSERTED)) for memory in fact_memories()]
        found[evidence.value] = regression(*fit(Pairs.of(FEATURES, pairs))) | {"offer": OFFER, "show": OFFER}
    return found


def fact_memories() -> list[Remembered]:
    """Return the facts with their questions, with look-alikes, and with everyday questions of other sets."""
    cases = [_case(case) for case in FACT_CASES.lines("fit")]
    asked = Remembered("facts", [_entry(fact) for fact in FACTS.lines("fit")], cases)
    everyday = [case for name in ("first", "second") for case in decisions(name, keys=False).questions]
    return [
        replace(asked, questions=[case for case in cases if not case.is_look_alike]),
        replace(asked, questions=[case for case in cases if case.is_look_alike], weight=LOOK_ALIKE),
        replace(asked, questions=[case for case in everyday if case.is_everyday], weight=EVERYDAY),
    ]


def _entry(fact: ToldFact) -> Entry:
    question = fact.asked or fact.text
    created = datetime(2000, 1, 1, tzinfo=UTC)
    return Entry(
        FACT, question, Fact(text=fact.text), fact.id, OWNER, False, Status.ACTIVE, 0, created, (Key(question),)
    )


def _case(case: FactCase) -> Case:
    applies, *others = case.bears or (None,)
    return Case(case.question, applies, case.kind, case.lang, as_good=frozenset(filter(None, others)))
