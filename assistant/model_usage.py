"""Usage of a model: tokens, time, and cost if the price is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage of one call, or of several together."""

    prompt: int  # tokens
    reply: int  # tokens, reasoning included
    told: bool  # reported by the server; else estimated
    dollars: float | None = None  # None if the price is unknown

    def __add__(self, other: Usage) -> Usage:
        is_priced = self.dollars is not None and other.dollars is not None
        return Usage(
            self.prompt + other.prompt,
            self.reply + other.reply,
            told=self.told and other.told,
            dollars=(self.dollars or 0.0) + (other.dollars or 0.0) if is_priced else None,
        )


Count = Callable[[Usage], None]
"""Receives the usage of a call once, after it ended in any way."""


def ignore_usage(_usage: Usage) -> None:
    """Ignore the usage."""


@dataclass(slots=True)
class Meter:
    """`Count` that sums up, from any thread."""

    sum: Usage | None = None  # None before any call
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def __call__(self, usage: Usage) -> None:
        with self._lock:
            self.sum = usage if self.sum is None else self.sum + usage


def ms_since(began: float) -> float:
    """Return the milliseconds since a reading of `time.perf_counter`."""
    return round((perf_counter() - began) * 1000, 1)
