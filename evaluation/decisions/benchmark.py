"""Benchmarks of decisions: stored entries, questions, and the outcomes of a method.

Entries and questions are the lines of its files, checked when they are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, TypeAlias

from pydantic import Field, StrictInt, StrictStr
from pydantic.dataclasses import dataclass as checked

from assistant.limits import DEFAULT_LIMITS

Name = Annotated[StrictStr, Field(pattern=r"\S", max_length=1_000)]
QuestionText = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.question)]
Feedback = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.clarification)]
Id: TypeAlias = StrictInt | Name
"""Id of an entry in a benchmark file, not in the store."""

EVERYBODY = "everybody"
ENGLISH = "en"
LOOK_ALIKE, EVERYDAY = "look-alike", "everyday"


@checked(frozen=True)
class StoredEntry:
    """A misunderstood question, with the user's feedback."""

    id: Id
    question: QuestionText
    feedback: Feedback  # what the user meant
    wrong_understanding: StrictStr = ""  # the understanding that the user corrected
    keys: tuple[QuestionText, ...] = ()  # further keys, as a model would write them
    lang: Name = ENGLISH


@checked(frozen=True)
class DecisionCase:
    """A later question."""

    question: QuestionText
    applies: Id | None  # the entry that it needs, if any
    kind: str = ""  # `look-alike`, `everyday`, or a kind of the benchmark
    lang: Name = ENGLISH  # all but `en` count as mixed
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
