"""How much is taken of anybody: lengths of texts, entries, and where nothing else is set, as much as they like.

The same limits hold for what is typed, streamed, exported and brought in, so that what is stored
can be taken along.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.errors import SettingsError

if TYPE_CHECKING:
    from assistant.types import Scope

LONGEST_QUESTION = 100_000
"""Characters of a question, whatever the host sets: one who sets less can still import what was stored before."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Most characters of a question, of a clarification, and of a model's reply as it comes; most entries of a person.

    Raises SettingsError: no host may take longer questions than all hosts take in with an import.
    """

    question: int = 8000
    clarification: int = 2000
    reply: int = 50_000
    entries: int = 20_000  # those that were changed or taken back count too

    def __post_init__(self) -> None:
        if self.question > LONGEST_QUESTION:
            raise SettingsError(
                f"NOTED_QUESTION_CHARACTERS must be at most {LONGEST_QUESTION:,}, not {self.question:,}."
            )


DEFAULT_LIMITS = Limits()


class Unlimited:
    """An `Allowance` for as much as anybody likes."""

    def turn(self, scope: Scope, answers: int = 1) -> None:
        """Always."""

    def save(self, scope: Scope, changes: int = 1) -> None:
        """Always."""

    def request(self, scope: Scope) -> None:
        """Always."""


UNLIMITED = Unlimited()
