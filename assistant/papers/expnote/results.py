"""What came of practice: how it went case by case, which answers flipped, and what each lesson did. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean

from assistant.papers.expnote.exercises import Exercise
from assistant.sentences import Sentence
from assistant.types import Entry

FLIPS = ("wrong to wrong", "wrong to right", "right to right", "right to wrong")
_POINTS = 10


@dataclass(frozen=True, slots=True)
class Tried:
    """An exercise, as it was answered."""

    exercise: Exercise
    said: str
    right: bool
    used: tuple[str, ...] = ()  # ids of the entries that the answer rests on
    lesson: str = ""  # the rule that was noted of it just now
    error: Sentence | None = None  # why there is no answer
    fresh: bool = field(default=False, compare=False)  # it was asked, or learnt from, just now


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A held-out exercise: whether it is answered rightly without the lessons of the practice, and how with them."""

    before: bool
    after: Tried

    @property
    def flip(self) -> str:
        """One of `FLIPS`."""
        return flip(before=self.before, after=self.after.right)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a lesson did: in how many answers it was used, and how many of those were right."""

    lesson: Entry
    used: int
    right: int


def flip(*, before: bool, after: bool) -> str:
    """What became of an answer: one of `FLIPS`."""
    names = {True: "right", False: "wrong"}
    return f"{names[before]} to {names[after]}"


def is_worse(tests: Sequence[HeldOut]) -> bool:
    """Return True if fewer held-out exercises are answered rightly with the lessons than without."""
    return sum(test.after.right for test in tests) < sum(test.before for test in tests)


def curve(tried: Sequence[Tried]) -> list[float]:
    """The share of right answers in each part of the practice, in order: ten parts, or one for each case of fewer."""
    parts = min(_POINTS, len(tried))
    ends = [len(tried) * at // parts for at in range(parts + 1)] if parts else []
    return [fmean(one.right for one in tried[first:end]) for first, end in pairwise(ends)]


def disagreeing(tried: Iterable[Tried]) -> list[Tried]:
    """The cases of which what was learnt before says something else: one of both is wrong, or it is an exception."""
    return [one for one in tried if one.used and not one.right and not one.error]


def effects(lessons: Iterable[Entry], tried: Sequence[Tried]) -> list[Effect]:
    """What each lesson did in these answers; those that were used most go first."""
    used = Counter(name for one in tried for name in one.used)
    right = Counter(name for one in tried if one.right for name in one.used)
    done = (Effect(lesson, used[lesson.id], right[lesson.id]) for lesson in lessons)
    return sorted(done, key=lambda effect: -effect.used)
