"""Whether the word asked about stands in brackets, as it does in the paper: < word >."""

from __future__ import annotations

from enum import StrEnum
from random import Random


class Brackets(StrEnum):
    """How many of the questions have them."""

    ALL = "all"
    HALF = "half"
    NONE = "none"


_SHARE = {Brackets.ALL: 1.0, Brackets.HALF: 0.5, Brackets.NONE: 0.0}


def in_brackets(word: str, brackets: Brackets, random: Random) -> str:
    """The word as it stands in a question."""
    return f"< {word} >" if random.random() < _SHARE[brackets] else word
