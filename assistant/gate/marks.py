"""What a retriever marks is offered, and not weighed: it bears on the question by what it says, not by likeness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.ports import Gate
from assistant.sentences import Sentence
from assistant.sharing import out_of_bounds
from assistant.types import Action, Candidate, Decision, Scope


@dataclass(frozen=True, slots=True)
class Mark:
    """How a retriever marks entries, and how many of them are offered."""

    feature: str  # of a candidate: how surely it bears on the question, 0 to 1
    reason: Sentence
    most: int
    beside: Callable[[Candidate, Sequence[Decision]], bool] | None = None  # bears on it beside what is decided


@dataclass(frozen=True, slots=True)
class OfferMarked:
    """Implements `Gate`: offer what is marked, the surest first, and leave all else to the gate."""

    gate: Gate
    marks: Sequence[Mark]

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        """Decide by the marks that count alone, then by the gate, then by those that count beside what is decided."""
        beside = [mark for mark in self.marks if mark.beside]
        decisions = list[Decision]()
        for mark in self.marks:
            if not mark.beside:
                readable = [one for one in candidates if scope.may_read(one.entry) and not out_of_bounds(one)]
                decisions += _offered(mark, readable, decisions)
        decided = {one.entry.id for one in decisions}
        rest = [one for one in candidates if one.entry.id not in decided]
        decisions += self.gate([one for one in rest if not any(mark.feature in one.scores for mark in beside)], scope)
        for mark in beside:
            decisions += _offered(mark, rest, decisions)
        return decisions


def _offered(mark: Mark, candidates: Sequence[Candidate], before: Sequence[Decision]) -> list[Decision]:
    decided = {one.entry.id for one in before}
    marked = [one for one in candidates if mark.feature in one.scores and one.entry.id not in decided]
    bearing = [one for one in marked if mark.beside is None or mark.beside(one, before)]
    surest = sorted(bearing, key=lambda one: -one.scores[mark.feature])[: mark.most]
    return [Decision(one, Action.OFFER, one.scores[mark.feature], mark.reason) for one in surest]
