"""What the tasks share: questions that can be taken in more than one way, and how to tell in which they were taken."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TypeVar

from evaluation.streams.experiment import Item, as_words

T = TypeVar("T")

ENGLISH, HINDI, PUNJABI = "en", "hi-latn", "pa-latn"
MIXED = "mixed"
"""Every question in a language by chance."""


@dataclass(frozen=True)
class WordItem(Item):
    """A question about a word, asked in one of the ways of its task."""

    phrase: str = ""  # its way of asking in words, without the thing asked about
    about: str = ""  # the thing asked about


class Brackets(StrEnum):
    """How many of the questions have the word asked about in brackets, as all have in the paper: < word >."""

    ALL = "all"
    HALF = "half"
    NONE = "none"

    def around(self, word: str, random: Random) -> str:
        """The word as it stands in a question."""
        share = {Brackets.ALL: 1.0, Brackets.HALF: 0.5, Brackets.NONE: 0.0}[self]
        return f"< {word} >" if random.random() < share else word


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells which type an understanding speaks of, by what it says (the paper compares in the same way, 4.1.2).

    `patterns` has a regular expression for each type; the first that matches counts.
    """

    patterns: Mapping[str, str]

    def __call__(self, understanding: str, about: str) -> str | None:
        """The type; None where it names none, or is not about this thing."""
        text = understanding.casefold()
        if about and not (named := as_words(about)).search(text):
            return None
        # The thing asked about may be such a word itself: "You want a synonym of "sentence"".
        told = named.sub(" ", text) if about else text
        return next((kind for kind, pattern in self.patterns.items() if re.search(pattern, told)), None)


def in_rounds(found: Sequence[T], random: Random) -> Iterator[T]:
    """All of them in one order by chance, then in another, without an end: none has to wait long for its turn."""
    while True:
        yield from random.sample(found, len(found))
