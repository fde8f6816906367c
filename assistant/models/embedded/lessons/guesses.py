"""What may be guessed of a pair of relations by counterparts of its words, and how far guesses are to be trusted.

If a mother's brother is an uncle, a father's brother may be one, and a mother's sister an aunt: the last relation tells
which. Many languages refute that. How often it holds is told by the rules that are known: each might have been guessed
from the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log
from typing import Self

from assistant.models.embedded.lessons.counterparts import counterpart, usual

Pair = tuple[str, str]
Known = Mapping[Pair, tuple[str, int]]
"""What a relation of a relation is, with the place of the rule that says so; the most trusted first."""
_LEAST_SURE = 0.5


def guess(pair: Pair, known: Known) -> tuple[str, int] | None:
    """What a pair comes to by the most trusted rule about counterparts of one of its words, or of both."""
    first, last = usual(pair[0]), usual(pair[1])
    others = ((first, counterpart(last)), (counterpart(first), last), (counterpart(first), counterpart(last)))
    found = [other for other in others if all(other) and other in known]
    if not found:
        return None
    nearest = min(found, key=lambda other: known[other][1])
    result, at = known[nearest]
    return ((counterpart(result) or result) if nearest[1] != last else result), at


@dataclass(frozen=True, slots=True)
class Guesses:
    """How guesses turn out, of what is known."""

    most: int  # that an answer may rest on: one, or so many as are together as likely right as not
    speaking: tuple[int, ...]  # places of the rules that speak for guesses

    @classmethod
    def of(cls, known: Known) -> Self:
        """By the rule of succession; one guess is always made, as the answer to it tells the rule."""
        tried = [*_tried(known)]
        speaking = [place for places, is_right in tried if is_right for place in places]
        right = sum(is_right for _, is_right in tried)
        most = log(_LEAST_SURE) / log((right + 1) / (len(tried) + 2))
        return cls(max(1, int(most)), tuple(dict.fromkeys(speaking)))


def _tried(known: Known) -> Iterator[tuple[tuple[int, int], bool]]:
    """The places of each rule that could have been guessed and of the one that it follows from, and whether it does."""
    for pair, (result, at) in known.items():
        if guessed := guess(pair, known):
            yield (at, guessed[1]), guessed[0] == result
