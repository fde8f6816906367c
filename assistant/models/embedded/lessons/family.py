"""What a lesson is to the embedded model, and what each family of lessons can do: apply some, and explain a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Noted:
    """A lesson: a rule in words, and the key that it stands under."""

    key: str
    rule: str
    trust: int = 0  # how much more often it helped than it hurt, where that is known


@dataclass(frozen=True, slots=True)
class Solved:
    """What lessons say of a question."""

    answer: str  # empty where they are about such questions, but do not tell
    rests_on: tuple[int, ...] = ()  # places of the lessons that it follows from; else of those about such questions
    missing: str = ""  # where they do not tell: what is not known
    beside: tuple[int, ...] = ()  # places of others that speak for how the answer follows from those


class Family(Protocol):
    """Rules of one form."""

    def is_about(self, question: str) -> bool:
        """Whether a question is one that rules of this form could be about."""

    def solve(self, question: str, lessons: Sequence[Noted]) -> Solved | None:
        """What lessons of this family say of a question, the most trusted first; None where none applies."""

    def explain(self, question: str, answer: str, lessons: Sequence[Noted]) -> Noted | None:
        """The lesson with which, beside those that are known, the answer follows; None where no rule explains it."""
