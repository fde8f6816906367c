"""Offer the entries that a retriever marked, which apply by their content, without weighing their similarity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.ports import Gate
from assistant.sentences import Sentence
from assistant.sharing import find_exclusion
from assistant.types import Action, Candidate, Decision, Scope


@dataclass(frozen=True, slots=True)
class OfferRule:
    """Mark of a retriever on candidates, with the maximum number to offer."""

    feature: str  # of a candidate: confidence that it applies, 0 to 1
    reason: Sentence
    most: int
    beside: Callable[[Candidate, Sequence[Decision]], bool] | None = None  # True if it applies, given the decisions


@dataclass(frozen=True, slots=True)
class OfferByRules:
    """Implements `Gate`: offer marked candidates, most confident first, and let `gate` decide the others."""

    gate: Gate
    marks: Sequence[OfferRule]

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        """Decide by independent marks, then by the gate, then by marks that depend on the decisions."""
        beside = [mark for mark in self.marks if mark.beside]
        decisions = list[Decision]()
        for mark in self.marks:
            if not mark.beside:
                readable = [one for one in candidates if scope.may_read(one.entry) and not find_exclusion(one)]
                decisions += _offered(mark, readable, decisions)
        decided = {one.entry.id for one in decisions}
        rest = [one for one in candidates if one.entry.id not in decided]
        decisions += self.gate([one for one in rest if not any(mark.feature in one.scores for mark in beside)], scope)
        for mark in beside:
            decisions += _offered(mark, rest, decisions)
        return decisions


def _offered(mark: OfferRule, candidates: Sequence[Candidate], before: Sequence[Decision]) -> list[Decision]:
    decided = {one.entry.id for one in before}
    marked = [one for one in candidates if mark.feature in one.scores and one.entry.id not in decided]
    bearing = [one for one in marked if mark.beside is None or mark.beside(one, before)]
    surest = sorted(bearing, key=lambda one: -one.scores[mark.feature])[: mark.most]
    return [Decision(one, Action.OFFER, one.scores[mark.feature], mark.reason) for one in surest]
