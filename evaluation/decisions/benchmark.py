"""Benchmarks of decisions: stored entries, questions, and the outcomes of a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

Id: TypeAlias = str | int
"""Id of an entry in a benchmark file, not in the store."""

EVERYBODY = "everybody"
ENGLISH = "en"
LOOK_ALIKE, EVERYDAY = "look-alike", "everyday"


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry to store."""

    id: Id
    question: str
    feedback: str  # what the user meant
    wrong_understanding: str = ""  # the understanding that the user corrected
    keys: tuple[str, ...] = ()  # further keys, as a model would write them


@dataclass(frozen=True, slots=True)
class DecisionCase:
    """A question to ask."""

    question: str
    applies: Id | None  # the entry that it needs, if any
    kind: str = ""  # `look-alike`, `everyday`, or a kind of the benchmark
    lang: str = ENGLISH  # all but `en` count as mixed
    as_good: frozenset[Id] = frozenset()  # entries that say the same as `applies`
    also: frozenset[Id] = frozenset()  # entries that may be used but need not; not all are in every memory

    @property
    def right(self) -> frozenset[Id]:
        """Return the entries that are right for it, if it needs one."""
        return frozenset() if self.applies is None else self.as_good | {self.applies}

    @property
    def is_look_alike(self) -> bool:
        return self.applies is None and self.kind == LOOK_ALIKE

    @property
    def is_everyday(self) -> bool:
        return self.applies is None and self.kind == EVERYDAY


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A memory and its questions; `weight` is that of each pair in a fit."""

    entries: Sequence[StoredEntry]
    questions: Sequence[DecisionCase]
    title: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """Decisions of a method about a question."""

    ranked: tuple[Id, ...] = ()  # the candidates, best first, at most `MOST_RANKED`
    used: tuple[Id, ...] = ()
    # Confidence by candidate: for Noted a probability, for a baseline its similarity.
    scores: Mapping[Id, float] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def best(self) -> float | None:
        """Return the score of the first candidate, if known."""
        return self.scores.get(self.ranked[0]) if self.ranked else None


MOST_RANKED = 10
