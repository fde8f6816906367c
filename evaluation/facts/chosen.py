"""Which facts a model that chooses among notes is shown, where it is known which ones bear on a question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.gate.gate import FittedGate
from assistant.ports import Embedder
from assistant.types import Action, Scope
from evaluation.facts.sets import FactCase, FactSet
from evaluation.gate.data import OWNER
from evaluation.gate.fitting import candidates_of
from memory_store.retrieval.retriever import MOST_FACTS
from memory_store.vectors.rows import Part


@dataclass(frozen=True, slots=True)
class ShownFacts:
    """What was found and shown for one question."""

    case: FactCase
    found: Sequence[str]  # ids of candidates
    shown: Sequence[str]

    @property
    def is_right(self) -> bool:
        """All that bears is shown; of a look-alike, what looks alike is not; and nothing for an everyday question."""
        if self.case.bears:
            return set(self.case.bears) <= set(self.shown)
        return self.case.near not in self.shown if self.case.near else not self.shown


def shown_facts(facts: FactSet, embedder: Embedder | None) -> Iterator[ShownFacts]:
    """For each question, from a memory of all the facts."""
    gate = FittedGate.from_file().only_offering()
    found = candidates_of(facts.remembered(), embedder, Part.ASSERTED, MOST_FACTS)
    for case, candidates in zip(facts.cases, found, strict=True):
        decisions = gate(candidates, Scope(OWNER))
        shown = [decision.entry.id for decision in decisions if decision.action is Action.OFFER]
        yield ShownFacts(case, [candidate.entry.id for candidate in candidates], shown)
