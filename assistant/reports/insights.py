"""Statistics: corrections, use of memory, time, tokens and cost.

A *question* is an answered or corrected message, counted once even if it was answered again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

PER = 20
"""Number of questions that the rate of corrections refers to."""
ENOUGH = 5
"""Minimum number of questions for a rate."""
RECENT = timedelta(days=30)
"""Period of `Overview.saved`."""
PARTS = ("recall", "gate", "prompt", "first_token", "writing", "rest")
"""Parts of the time of a turn, in order."""


@dataclass(frozen=True, slots=True)
class Tally:
    questions: int = 0
    corrected: int = 0

    @property
    def per_twenty(self) -> float | None:
        """Return the corrections per `PER` questions; None for fewer than `ENOUGH`."""
        return self.corrected * PER / self.questions if self.questions >= ENOUGH else None


@dataclass(frozen=True, slots=True)
class Stretch:
    began: datetime  # time of the first question (UTC)
    ended: datetime  # time of the last one
    with_memory: Tally  # answers that use an entry
    without: Tally

    @property
    def all(self) -> Tally:
        memory, without = self.with_memory, self.without
        return Tally(memory.questions + without.questions, memory.corrected + without.corrected)


@dataclass(frozen=True, slots=True)
class Worked:
    entry_id: str
    used: int
    helped: int
    hurt: int


@dataclass(frozen=True, slots=True)
class Times:
    """Time of the last answers, in milliseconds."""

    answers: int = 0
    parts: Mapping[str, float] = field(default_factory=dict)  # means, by name of the part; their sum is the mean
    median: float = 0.0
    slowest: float = 0.0  # 95th percentile


@dataclass(frozen=True, slots=True)
class Taken:
    """Usage of the model by the last answers, if known."""

    answers: int = 0
    told: int = 0  # answers whose tokens the server reported; others are estimated
    prompt: float = 0.0  # mean tokens
    reply: float = 0.0
    priced: int = 0  # answers with a known price
    dollars: float = 0.0  # their total cost

    @property
    def each(self) -> float | None:
        """Return the mean cost in US dollars, None without a known price."""
        return self.dollars / self.priced if self.priced else None


@dataclass(frozen=True, slots=True)
class Spent:
    day: str  # UTC, ISO 8601
    dollars: float


@dataclass(frozen=True, slots=True)
class Overview:
    people: int = 0  # users who asked something
    stretches: Sequence[Stretch] = ()  # in order, of `PER` questions or a multiple of that
    worked: Sequence[Worked] = ()  # the most used entries of one user; empty over all users
    saved: int = 0  # questions within `RECENT` answered from memory and not corrected
    used: int = 0  # answers that use an entry, by entry
    helped: int = 0  # of these, confirmed
    hurt: int = 0  # of these, answers from which the entry was excluded
    remembered: int = 0  # active entries
    times: Times = field(default_factory=Times)
    taken: Taken = field(default_factory=Taken)
    spent: Sequence[Spent] = ()  # by day, for a curator

    @property
    def all(self) -> Tally:
        tallies = [stretch.all for stretch in self.stretches]
        return Tally(sum(tally.questions for tally in tallies), sum(tally.corrected for tally in tallies))
