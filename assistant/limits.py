"""Limits on lengths and numbers. They are the same for typing, streaming, export and import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.errors import SettingsError

if TYPE_CHECKING:
    from assistant.types import Scope

LONGEST_QUESTION = 100_000
"""Characters of a question, whatever the host sets, so that a host with a lower limit can import older ones."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Raises SettingsError where a question may be longer than an import takes."""

    question: int = 8000  # characters
    clarification: int = 2000
    reply: int = 50_000  # raw, as it streams
    entries: int = 20_000  # of one user, with superseded and retracted ones

    def __post_init__(self) -> None:
        if self.question > LONGEST_QUESTION:
            raise SettingsError(
                f"NOTED_QUESTION_CHARACTERS must be at most {LONGEST_QUESTION:,}, not {self.question:,}."
            )


DEFAULT_LIMITS = Limits()


class Unlimited:
    """An `Allowance` without limits."""

    def turn(self, scope: Scope, answers: int = 1) -> None:
        """Allow it."""

    def save(self, scope: Scope, changes: int = 1) -> None:
        """Allow it."""

    def request(self, scope: Scope) -> None:
        """Allow it."""


UNLIMITED = Unlimited()
