"""Usage of a model: tokens, time and, where the price is known, money."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage by one call, or several together."""

    prompt: int  # tokens
    reply: int  # tokens, reasoning included
    told: bool  # by the server; else the numbers are estimated
    dollars: float | None = None  # None where the price is not known

    def __add__(self, other: Usage) -> Usage:
        is_priced = self.dollars is not None and other.dollars is not None
        return Usage(
            self.prompt + other.prompt,
            self.reply + other.reply,
            told=self.told and other.told,
            dollars=(self.dollars or 0.0) + (other.dollars or 0.0) if is_priced else None,
        )


Count = Callable[[Usage], None]
"""Receive the usage of a call, once, after it ended in any way."""


def not_counted(_usage: Usage) -> None:
    """Ignore it."""


@dataclass(slots=True)
class Meter:
    """A `Count` that adds up, from any thread."""

    sum: Usage | None = None  # None without any call
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def __call__(self, usage: Usage) -> None:
        """Add the usage of a call."""
        with self._lock:
            self.sum = usage if self.sum is None else self.sum + usage


def ms_since(began: float) -> float:
    """Return the milliseconds since a reading of `time.perf_counter`."""
    return round((perf_counter() - began) * 1000, 1)
