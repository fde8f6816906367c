"""How well it goes, in numbers: how often people correct, what memory does, whether the gate is right, where time and
tokens go.

Plain values. A *question* is a message that was answered, or that was put right, however often it was answered again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

PER = 20
"""Corrections are told per so many questions."""
ENOUGH = 5
"""Of fewer questions no rate is told: one answer more would change it by too much."""
RECENT = timedelta(days=30)
"""Of how long the first sentence about it tells."""
BINS = 10
"""Probabilities are told in so many steps of the same width."""
PARTS = ("recall", "gate", "prompt", "first_token", "writing", "rest")
"""Where the time of a turn goes, in the order in which it does."""


@dataclass(frozen=True, slots=True)
class Tally:
    """So many questions, and how many of them were put right."""

    questions: int = 0
    corrected: int = 0

    @property
    def per_twenty(self) -> float | None:
        """Corrections per `PER` questions; None for fewer than `ENOUGH`."""
        return self.corrected * PER / self.questions if self.questions >= ENOUGH else None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Questions that followed one another: when the first and the last was asked, and how it went."""

    began: datetime  # of the first (UTC)
    ended: datetime  # of the last
    with_memory: Tally  # those whose answer rests on an entry
    without: Tally  # the others

    @property
    def all(self) -> Tally:
        """All of them."""
        return Tally(
            self.with_memory.questions + self.without.questions, self.with_memory.corrected + self.without.corrected
        )


@dataclass(frozen=True, slots=True)
class ProbabilityBin:
    """What became of entries that the gate gave a probability of this step, and that an answer then rested on."""

    number: int  # from 0; step n reaches from n / BINS to (n + 1) / BINS
    used: int  # how often an answer rested on one
    helped: int  # how often that answer was confirmed
    hurt: int  # how often the entry was left out of it

    @property
    def kept(self) -> float:
        """The share that was not left out."""
        return 1 - self.hurt / self.used


@dataclass(frozen=True, slots=True)
class Worked:
    """One entry, and what came of it."""

    entry_id: str
    used: int
    helped: int
    hurt: int


@dataclass(frozen=True, slots=True)
class Grown:
    """How much of what is remembered now there was by the end of a day (ISO 8601) or month."""

    until: str
    entries: Mapping[str, int]  # kind to how many


@dataclass(frozen=True, slots=True)
class Times:
    """Where the time of the last answers went."""

    answers: int = 0  # how many
    # name of a part to its mean in milliseconds; together they are the mean of the whole
    parts: Mapping[str, float] = field(default_factory=dict)
    median: float = 0.0  # of the whole, in milliseconds
    slowest: float = 0.0  # the longest of the fastest 95 %


@dataclass(frozen=True, slots=True)
class Taken:
    """What answers that followed one another took of the model."""

    began: datetime  # when the first was asked (UTC)
    ended: datetime  # when the last was
    answers: int  # how many
    told: int  # those whose tokens the model's server told; of the others they are estimated
    prompt: float  # mean tokens of a prompt
    reply: float  # mean tokens of a reply
    priced: int  # the answers whose price is known
    dollars: float  # what those cost together

    @property
    def each(self) -> float | None:
        """What one cost on average, in US dollars; None where no price is known."""
        return self.dollars / self.priced if self.priced else None


@dataclass(frozen=True, slots=True)
class Spent:
    """What the model cost on a day (UTC, ISO 8601), in US dollars."""

    day: str
    dollars: float


@dataclass(frozen=True, slots=True)
class Overview:
    """All of it."""

    people: int = 0  # how many asked something
    stretches: Sequence[Stretch] = ()  # questions in their order, by `PER`, or by a multiple of it where there are many
    steps: Sequence[ProbabilityBin] = ()  # only those in which something was used
    worked: Sequence[Worked] = ()  # the entries that were used most, of one person; empty for everybody's
    saved: int = 0  # questions of the last `RECENT` that memory answered, and nobody put right
    used: int = 0  # how often an answer rested on an entry
    helped: int = 0  # how often that answer was confirmed
    hurt: int = 0  # how often the entry was left out of it
    remembered: int = 0  # entries that count now
    never_used: int = 0  # those of them that no answer rested on
    growth: Sequence[Grown] = ()  # in the order of time
    times: Times = field(default_factory=Times)  # of the last answers
    taken: Sequence[Taken] = ()  # of the last answers that say what they took of the model, in their order
    spent: Sequence[Spent] = ()  # by day, for a curator, where it is counted; of nobody in particular

    @property
    def all(self) -> Tally:
        """Every question."""
        tallies = [stretch.all for stretch in self.stretches]
        return Tally(sum(tally.questions for tally in tallies), sum(tally.corrected for tally in tallies))
