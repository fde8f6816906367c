"""Where a person who puts an answer right repeats their question: "by take for a walk I mean a sentence". Pure.

What the repetition leaves out is what the question asks about, and the repetition itself does not say what was meant.
It compares rows of words, in whatever form the caller compares words in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_LONGEST_QUESTION = 32  # words
_LONGEST_SAID = 80
_LONGEST_GAP = 3
_LONGEST_AT_AN_END = 2  # "hey bridge da judwa kihda hai"
_FEWEST_REPEATED = 2
# Of the rest of the question, the share that has to be repeated: on both sides of what is left out, or on one.
_BOTH_SIDES, _ONE_SIDE = 0.5, 0.8
_STAND_INS = frozenset({"x", "word", "something"})  # "when I say take X for a walk"


class Retelling(NamedTuple):
    """A repetition of a question.

    Args:
        left_out: the words of the question that it leaves out, as (first, one past the last); none where the two are
            the same.
        told: where in what was said it stands, likewise.
    """

    left_out: tuple[int, int]
    told: tuple[int, int]


@lru_cache(maxsize=16_384)
def retelling(question: tuple[str, ...], said: tuple[str, ...]) -> Retelling | None:
    """The longest repetition of a question, with one place left out or none; None where too little is repeated.

    Args:
        question: its words.
        said: the words with which a person put it right.
    """
    if len(question) > _LONGEST_QUESTION or len(said) > _LONGEST_SAID or not set(question) & set(said):
        return None
    found = max(_repetitions(question, said), key=lambda each: each[0], default=None)
    return found[1] if found else None


def _repetitions(question: Sequence[str], said: Sequence[str]) -> Iterator[tuple[tuple[int, float, int], Retelling]]:
    """Each with its rank: how many words it repeats, of how many, and how few it leaves out."""
    for first in range(len(question) + 1):
        for last in range(first, min(first + _LONGEST_GAP, len(question)) + 1):
            rest = len(question) - (last - first)
            for place in range(len(said) + 1):
                before = _alike(question[:first][::-1], said[:place][::-1])
                begins = place + (0 < place < len(said) and before > 0 and said[place] in _STAND_INS)
                after = _alike(question[last:], said[begins:])
                if not (before and after) and last - first > _LONGEST_AT_AN_END:
                    continue
                if before + after >= max(_FEWEST_REPEATED, _enough(before, after, first < last) * rest):
                    told = (place - before, begins + after if after else place)
                    yield (before + after, (before + after) / rest, first - last), Retelling((first, last), told)


def _enough(before: int, after: int, leaves_out: bool) -> float:
    """The share of the rest of the question that has to be repeated. What leaves nothing out is the whole of it."""
    if not leaves_out:
        return 1.0
    return _BOTH_SIDES if before and after else _ONE_SIDE


def _alike(first: Sequence[str], second: Sequence[str]) -> int:
    """How many words both begin with."""
    pairs = zip(first, second, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))
