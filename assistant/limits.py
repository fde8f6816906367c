"""Limits on lengths and numbers, the same for typing, streaming, export and import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.errors import SettingsError

if TYPE_CHECKING:
    from assistant.types import Scope

LONGEST_QUESTION = 100_000
"""Maximum characters of a question in imports, and upper bound of the setting."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one installation. Raises SettingsError if `question` exceeds the limit of imports."""

    question: int = 8000  # characters
    clarification: int = 2000
    reply: int = 50_000  # characters of the raw stream
    entries: int = 20_000  # of one user, including superseded and retracted ones

    def __post_init__(self) -> None:
        if self.question > LONGEST_QUESTION:
            raise SettingsError(
                f"NOTED_QUESTION_CHARACTERS must be at most {LONGEST_QUESTION:,}, not {self.question:,}."
            )


DEFAULT_LIMITS = Limits()


class Unlimited:
    """An `Allowance` without limits."""

    def turn(self, scope: Scope, answers: int = 1) -> None:
        """Allow any number of answers."""

    def save(self, scope: Scope, changes: int = 1) -> None:
        """Allow any number of changes."""

    def request(self, scope: Scope) -> None:
        """Allow any request."""


UNLIMITED = Unlimited()
