"""Somebody who asks, and says so now and then where they were misunderstood."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from evaluation.memprompt.tasks.task import Item, Task


@dataclass(frozen=True, slots=True)
class Person:
    """What a simulated person does.

    Args:
        clarifies: probability that they say anything where they were misunderstood: Pr(f) of MemPrompt, section 4.
        errs: probability that what they say then is wrong.
    """

    clarifies: float = 1.0
    errs: float = 0.0

    def speaks(self, random: Random) -> bool:
        """Whether they put it right this time."""
        return random.random() < self.clarifies

    def says(self, item: Item, task: Task, random: Random) -> tuple[str, bool]:
        """What they say, and whether it is wrong."""
        wrongly = random.random() < self.errs
        return task.said(item, random, wrongly=wrongly), wrongly
