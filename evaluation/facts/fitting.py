"""The gate for facts, fitted as that for clarifications is: when a fact bears on a question.

A useless fact costs little beside one that is missing: it is no correction of the question, and who reads it can leave
it. So what is only like a fact (a look-alike) counts less than a question that no fact of the person bears on.
"""

from dataclasses import replace
from typing import Any

from assistant.choose.calibration import Evidence
from assistant.ports import Embedder
from evaluation.cases import Case
from evaluation.facts.sets import FactSet
from evaluation.gate.data import Remembered, decisions
from evaluation.gate.fitting import calibration, candidates_of
from evaluation.gate.regression import Pairs, fit
from memory_store.index.key_matrix import Part

LOOK_ALIKE, EVERYDAY = 0.3, 0.2  # how much a question of these counts beside one that a fact bears on
OFFER = 0.15  # least probability to offer a fact; see docs/decisions/0042


def memories(facts: FactSet) -> list[Remembered]:
    """What the gate is fitted on: the facts with their questions, and with everyday questions of other sets."""
    asked = facts.remembered()
    alike = [case for case in asked.questions if case.is_look_alike]
    others = [case for case in asked.questions if not case.is_look_alike]
    return [
        replace(asked, questions=others),
        replace(asked, questions=alike, weight=LOOK_ALIKE),
        replace(asked, questions=everyday("first", "second"), weight=EVERYDAY),
    ]


def everyday(*names: str) -> list[Case]:
    """Everyday questions that were written for clarifications: no fact of any set bears on them."""
    return [case for name in names for case in decisions(name, keys=False).questions if case.is_unrelated]


def fact_calibrations(facts: FactSet, embedder: Embedder | None) -> dict[str, Any]:
    """The calibrations of the gate, by evidence: what a fact says is all that it is found by."""
    pairs = [Pairs.of(memory, candidates_of(memory, embedder, Part.ASSERTED)) for memory in memories(facts)]
    return by_evidence(calibration(*fit(pairs)))


def by_evidence(fitted: dict[str, Any]) -> dict[str, Any]:
    """A calibration as it stands in the file, with the threshold of facts."""
    return {Evidence.QUESTION: fitted | {"offer": OFFER, "show": OFFER}}
