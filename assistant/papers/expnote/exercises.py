"""Exercises, read from a file, and the results of practising on them (ExpNote). Pure.

- `read_exercises`: the last fifth is held out.
- `curve`, section 4.3: the share of right answers as it learns.
- `flip`, section 4.4: which answers flipped with its lessons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from assistant.errors import InputError, NotedError
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.sentences import Sentence
from assistant.text.cleaning import checked
from assistant.text.tables import read_table
from assistant.types import Entry

HELD_OUT = 0.2
"""Share of the exercises that nothing is learnt from."""
FLIPS = ("wrong to wrong", "wrong to right", "right to right", "right to wrong")
_NAMES = ["question", "answer"]
_POINTS = 10


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with its right answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Exercises:
    """The exercises of a file."""

    cases: Sequence[Exercise]  # to learn from
    held_out: Sequence[Exercise]  # which show what that was worth


def read_exercises(text: str, limits: Limits = DEFAULT_LIMITS, header: bool | None = None) -> Exercises:
    """Return the exercises of a text: a table of questions and their answers.

    Args:
        text: what the file holds.
        limits: how long a question and an answer may be.
        header: whether the first row of a table is its header; None where that is to be seen from it.

    Raises HeaderUnclear where it cannot be seen, and InputError with the number of a line that is no exercise.
    """
    exercises = list[Exercise]()
    for row in read_table(text, _NAMES, header=header):
        try:
            if len(row.cells) != len(_NAMES) or not all(row.cells):
                raise InputError("practice.no_pair")
            question, answer = row.cells
            exercises.append(Exercise(checked(question, limits.question), checked(answer, limits.clarification)))
        except NotedError as error:
            raise InputError("practice.bad_line", number=row.number, why=error.sentence) from None
    end = len(exercises) - round(HELD_OUT * len(exercises))
    return Exercises(exercises[:end], exercises[end:])


@dataclass(frozen=True, slots=True)
class Tried:
    """An exercise, as it was answered; one that was held out, as it was answered with the lessons of the practice."""

    exercise: Exercise
    said: str
    right: bool
    used: tuple[str, ...] = ()  # ids of the entries that the answer is based on
    lesson: str = ""  # the rule that was noted of it just now
    error: Sentence | None = None  # why there is no answer
    fresh: bool = field(default=False, compare=False)  # it was asked, or learnt from, just now
    before: bool = False  # held out: whether it is right without the lessons of the practice

    @property
    def flip(self) -> str:
        """One of `FLIPS`."""
        return flip(before=self.before, after=self.right)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a lesson did: in how many answers it was used, and how many of those were right."""

    lesson: Entry
    used: int
    right: int


def flip(*, before: bool, after: bool) -> str:
    """Return what became of an answer: one of `FLIPS` (section 4.4)."""
    names = {True: "right", False: "wrong"}
    return f"{names[before]} to {names[after]}"


def is_worse(tests: Sequence[Tried]) -> bool:
    """Return True if fewer held-out exercises are answered rightly with the lessons than without."""
    return sum(test.right for test in tests) < sum(test.before for test in tests)


def curve(tried: Sequence[Tried]) -> list[float]:
    """Return the share of right answers in each tenth of the practice, in order; of fewer than ten, of each."""
    total, parts = len(tried), min(_POINTS, len(tried))
    return [fmean(one.right for one in tried[total * at // parts : total * (at + 1) // parts]) for at in range(parts)]


def disagreeing(tried: Iterable[Tried]) -> list[Tried]:
    """Return the cases that lessons answer otherwise: the lesson or the case is wrong, or the case is an exception."""
    return [one for one in tried if one.used and not one.right and not one.error]


def effects(lessons: Iterable[Entry], tried: Sequence[Tried]) -> list[Effect]:
    """Return what each lesson did in these answers; those that were used most come first."""
    used = Counter(name for one in tried for name in one.used)
    right = Counter(name for one in tried if one.right for name in one.used)
    done = (Effect(lesson, used[lesson.id], right[lesson.id]) for lesson in lessons)
    return sorted(done, key=lambda effect: -effect.used)
