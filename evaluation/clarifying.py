"""Made-up clarifications in mixed languages: a question, how it was misunderstood, and what the person then said."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evaluation.cases import Stored
from evaluation.synthetic_questions import questions

_SAID = (
    "I meant: {meant}",
    "no, I want to know this: {meant}",
    "mera matlab tha: {meant}",
    "nahi, main yeh pooch raha tha: {meant}",
    "mera matlab si: {meant}",
    "मेरा मतलब था: {meant}",
    "ਮੇਰਾ ਮਤਲਬ ਸੀ: {meant}",
)


def clarifications(seed: int, owner: str) -> Iterator[Stored]:
    """Clarifications of one person without end, no two of the same question. The same seed writes the same."""
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    texts = questions(seed)
    number = 0
    while True:
        number += 1
        said = random.choice(_SAID).format(meant=next(texts))
        misunderstood = f"You want to know: {next(texts)}"
        yield Stored(number, (f"{next(texts)} {number}",), said, misunderstood, owner=owner)
