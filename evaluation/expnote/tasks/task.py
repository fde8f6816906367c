"""What a task gives: cases with right answers, and held-out questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

UNKNOWN = ""
"""The right answer to a question of which no case tells: that it is not known."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question with its right answer, and the group in which it is counted."""

    question: str
    answer: str
    group: str = "all"


@dataclass(frozen=True, slots=True)
class Split:
    """What is learnt from, in order, and what is tested."""

    cases: Sequence[Item]
    tests: Sequence[Item]

    def with_wrong(self, share: float, seed: int) -> Split:
        """The same with a share of the cases answered wrongly: as another one is."""
        chance = Random(f"wrong {seed}")  # noqa: S311  a repeatable choice is wanted
        wrong = {*chance.sample(range(len(self.cases)), round(share * len(self.cases)))}
        answers = sorted({case.answer for case in self.cases})

        def other(case: Item) -> Item:
            return Item(case.question, chance.choice([one for one in answers if one != case.answer]), case.group)

        return Split([other(case) if at in wrong else case for at, case in enumerate(self.cases)], self.tests)


MakeSplit = Callable[[int, int, int], Split]
"""A task: from a seed, so many cases and so many tests."""
