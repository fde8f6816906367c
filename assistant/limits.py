"""Limits on lengths and numbers, the same for typing, streaming, export and import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.types import Scope


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one installation."""

    question: int = 8000  # characters
    clarification: int = 2000
    reply: int = 50_000  # characters of the raw stream
    entries: int = 20_000  # of one user, including superseded and retracted ones


DEFAULT_LIMITS = Limits()


class Allowance:
    """Rate limits per user. Every method of a subclass may raise TooOften; this class has no limits."""

    def turn(self, scope: Scope, answers: int = 1) -> None:
        """Count answers, all or none."""

    def save(self, scope: Scope, changes: int = 1) -> None:
        """Count saves and changes of entries, all or none."""

    def request(self, scope: Scope) -> None:
        """Count a request of any kind."""


UNLIMITED = Allowance()
