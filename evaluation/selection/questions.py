"""FairytaleQA (Xu et al., 2022), and the choice among five of its questions."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from evaluation.reading import BadInput, read_all

CHOICES = 5
"""Questions to choose from; chance is one of them."""
SIZES = range(1, 6)
"""Words of the paper's n-grams."""


class Asked(BaseModel):
    """A person's question about a text, with people's answers to it."""

    story: str
    sections: tuple[str, ...]
    text: str
    question: str
    answers: Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Choice:
    """Questions by their places in the file, and which of them belongs to its own text and first answer."""

    right: int
    among: tuple[int, ...]  # in random order, the right one too


GROUPS: dict[str, Callable[[Asked], Hashable]] = {
    "same story": lambda asked: asked.story,
    "same section": lambda asked: (asked.story, asked.sections),
}
"""Where the other questions come from."""


def read_questions(folder: Path) -> tuple[Asked, ...]:
    """Those of the file val.jsonl of a folder. Raises BadInput."""
    return read_all(folder / "val.jsonl", Asked)


def choices(asked: Sequence[Asked], group: Callable[[Asked], Hashable], rounds: int, seed: int) -> list[Choice]:
    """For each question of a group that is large enough, so many choices, each among others of its group.

    Raises BadInput where there is none.
    """
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at, one in enumerate(asked):
        groups[group(one)].append(at)
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    made = [
        Choice(at, tuple(chance.sample([at, *chance.sample([one for one in some if one != at], CHOICES - 1)], CHOICES)))
        for some in groups.values()
        if len(some) >= CHOICES
        for at in some
        for _ in range(rounds)
    ]
    if not made:
        raise BadInput(f"No story, or no section, has {CHOICES} questions.")
    return made
