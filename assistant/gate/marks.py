"""What a retriever marks is offered, and not weighed: it bears on the question by what it says, not by likeness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.ports import Choose
from assistant.sentences import Sentence
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
    """Implements `Choose`: offer what is marked, the surest first, and leave all else to the gate."""

    gate: Choose
    marks: Sequence[Mark]

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        rest, decisions = [*candidates], list[Decision]()
        for mark in self.marks:
            if not mark.beside:
                readable = [one for one in rest if scope.may_read(one.entry) and _counts(one)]
                decisions += _offered(mark, readable)
                taken = {one.entry.id for one in decisions}
                rest = [one for one in rest if one.entry.id not in taken]
        later = [mark for mark in self.marks if mark.beside]
        weighed = [one for one in rest if not any(mark.feature in one.scores for mark in later)]
        decisions += self.gate(weighed, scope)
        for mark in later:
            decisions += _offered(mark, rest, decisions)
        return decisions


def _offered(mark: Mark, candidates: Sequence[Candidate], beside: Sequence[Decision] = ()) -> list[Decision]:
    marked = [one for one in candidates if mark.feature in one.scores]
    bearing = [one for one in marked if mark.beside is None or mark.beside(one, beside)]
    surest = sorted(bearing, key=lambda one: -one.scores[mark.feature])[: mark.most]
    return [Decision(one, Action.OFFER, one.scores[mark.feature], mark.reason) for one in surest]


def _counts(candidate: Candidate) -> bool:
    """Return True if nothing that the user did keeps an entry from a question."""
    bounds = candidate.scores.get("other_question") or candidate.scores.get("excepted")
    return not (bounds or candidate.entry.resting)
