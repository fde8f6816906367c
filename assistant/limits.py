"""How much is taken of anybody: lengths of texts, and where nothing else is set, as much as they like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.types import Scope


@dataclass(frozen=True, slots=True)
class Limits:
    """Most characters of a question, of a clarification, and of a model's reply as it comes."""

    question: int = 8000
    clarification: int = 2000
    reply: int = 50_000


DEFAULT_LIMITS = Limits()


class Unlimited:
    """An `Allowance` for as much as anybody likes."""

    def turn(self, scope: Scope) -> None:
        """Always."""

    def save(self, scope: Scope) -> None:
        """Always."""


UNLIMITED = Unlimited()
