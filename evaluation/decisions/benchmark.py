"""A benchmark of decisions: entries that are stored, questions that are asked, and what a method made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

Id: TypeAlias = str | int
"""Names an entry of a benchmark, as its file does. The store has ids of its own."""

EVERYBODY = "everybody"
ENGLISH = "en"
LOOK_ALIKE, EVERYDAY = "look-alike", "everyday"


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry to store; each of its questions after the first becomes a key."""

    id: Id
    questions: tuple[str, ...]
    feedback: str  # what the user said they meant
    wrong_understanding: str = ""  # what they corrected
    keys: tuple[str, ...] = ()  # further ones, as a model would write them


@dataclass(frozen=True, slots=True)
class Case:
    """A question to ask."""

    question: str
    applies: Id | None  # the entry that it needs; None for none
    kind: str = ""  # `look-alike`, `everyday`, or what the benchmark calls it
    lang: str = ENGLISH  # everything but `en` counts as mixed
    as_good: frozenset[Id] = frozenset()  # further entries that say what `applies` says
    also: frozenset[Id] = frozenset()  # entries that may be used as well, and need not; not all are in every memory

    @property
    def right(self) -> frozenset[Id]:
        """Return the entries that are right for it; none where it needs none."""
        return frozenset() if self.applies is None else self.as_good | {self.applies}

    @property
    def is_look_alike(self) -> bool:
        return self.applies is None and self.kind == LOOK_ALIKE

    @property
    def is_everyday(self) -> bool:
        return self.applies is None and self.kind == EVERYDAY


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Entries and questions."""

    title: str
    entries: tuple[Stored, ...]
    questions: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method made of a question."""

    ranked: tuple[Id, ...] = ()  # the candidates, best first, at most `MOST_RANKED`
    used: tuple[Id, ...] = ()
    offered: tuple[Id, ...] = ()
    # How sure the method is, by candidate: for Noted a probability, for a baseline its similarity.
    scores: Mapping[Id, float] = field(default_factory=lambda: MappingProxyType({}))
    reasons: Mapping[Id, str] = field(default_factory=lambda: MappingProxyType({}))
    error: str = ""  # one sentence, where the question was not answered; it then counts nowhere

    @property
    def best(self) -> float | None:
        """Return the score of the first candidate, if both are known."""
        return self.scores.get(self.ranked[0]) if self.ranked else None


MOST_RANKED = 10


MOST_RANKED = 10
