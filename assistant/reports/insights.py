"""Insights: use of memory, what was taught, what was corrected again; time, tokens and cost of answers.

A *question* is an answered or corrected message, counted once even if it was answered again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

WEEKS = 12
"""Weeks of `Overview.weeks`; fewer than the days for which conversations are kept."""


@dataclass(frozen=True, slots=True)
class Week:
    """Questions of one week that were answered with an entry and not corrected, nor answered again without it."""

    monday: date  # UTC
    helped: int


@dataclass(frozen=True, slots=True)
class Corrected:
    """An active entry used in answers that the user corrected, or had answered again without it."""

    entry_id: str
    used: int  # answers that use it
    corrected: int  # of these


@dataclass(frozen=True, slots=True)
class Times:
    """Time of the last answers, in milliseconds."""

    answers: int = 0
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
class Overview:
    weeks: Sequence[Week] = ()  # the last weeks in order, from the first with a counted question to this week
    taught: Mapping[str, int] = field(default_factory=dict)  # active entries, by the name of their type
    corrected: Sequence[Corrected] = ()  # the most often corrected entries
    times: Times = field(default_factory=Times)
    taken: Taken = field(default_factory=Taken)
