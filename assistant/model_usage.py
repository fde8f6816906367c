"""What calls to a model take: tokens and, where the price is known, money."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call took, or several together."""

    prompt: int  # length of the prompt in tokens
    reply: int  # length of the reply in tokens, reasoning included
    told: bool  # whether the model's server told the lengths; else they are estimated
    dollars: float | None = None  # what it cost, in US dollars; None where the price is not known

    def __add__(self, other: Usage) -> Usage:
        is_priced = self.dollars is not None and other.dollars is not None
        return Usage(
            self.prompt + other.prompt,
            self.reply + other.reply,
            told=self.told and other.told,
            dollars=(self.dollars or 0.0) + (other.dollars or 0.0) if is_priced else None,
        )


Count = Callable[[Usage], None]
"""Is told what a call took, once, when it has ended, however it did."""


def not_counted(_usage: Usage) -> None:
    """Nobody wants to know."""


@dataclass(slots=True)
class Meter:
    """A `Count` that adds up, from whatever thread."""

    sum: Usage | None = None  # of all calls so far; None where none of them told anything
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def __call__(self, usage: Usage) -> None:
        """Count one more call."""
        with self._lock:
            self.sum = usage if self.sum is None else self.sum + usage
