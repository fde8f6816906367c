"""The gate for facts, fitted as that for clarifications is: when a fact bears on a question.

A useless fact costs little beside one that is missing: it is no correction of the question, and who reads it can leave
it. So what is only like a fact (a look-alike) counts less than a question that no fact of the person bears on.
"""

from dataclasses import replace
from typing import Any

from assistant.gate.gate import Evidence
from assistant.ports import Embedder
from evaluation.cases import Case
from evaluation.facts.sets import FactSet
from evaluation.gate.data import Remembered, decisions
from evaluation.gate.fitting import candidates_of, regression
from evaluation.gate.regression import Pairs, fit
from memory_store.vectors.rows import Part

LOOK_ALIKE, EVERYDAY = 0.3, 0.2  # how much a question of these counts beside one that a fact bears on
FEATURES = ("near", "letters")
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


def fact_regressions(facts: FactSet, embedder: Embedder) -> dict[str, Any]:
    """Return the regressions of the gate, by evidence: what a fact says is all that it is found by."""
    found = {}
    for evidence, reader in ((Evidence.LETTERS, None), (Evidence.ASKED, embedder)):
        pairs = [(memory, candidates_of(memory, reader, Part.ASSERTED)) for memory in memories(facts)]
        found[evidence.value] = regression(*fit(Pairs.of(FEATURES, pairs))) | {"offer": OFFER, "show": OFFER}
    return found
