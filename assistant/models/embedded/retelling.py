"""Where a person who puts an answer right repeats their question: "by take for a walk I mean a sentence". Pure.

The repetition does not say what was meant. Rows of words are compared, in whatever form the caller compares words in.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

_LONGEST_QUESTION = 32  # words
_LONGEST_SAID = 80
_LONGEST_GAP = 3
_LONGEST_AT_AN_END = 2  # "hey bridge da judwa kihda hai"
_FEWEST_REPEATED = 2
# Of the rest of the question, the share that has to be repeated: on both sides of what is left out, or on one.
_BOTH_SIDES, _ONE_SIDE = 0.5, 0.8
_STAND_INS = frozenset({"x", "word", "something"})  # "when I say take X for a walk"


@lru_cache(maxsize=16_384)
def retelling(question: tuple[str, ...], said: tuple[str, ...]) -> tuple[int, int] | None:
    """The longest repetition of a question in what was said, with one place of it left out or none: its first word, and
    one past its last. None where too little is repeated.
    """
    if len(question) > _LONGEST_QUESTION or len(said) > _LONGEST_SAID or not set(question) & set(said):
        return None
    found = max(_repetitions(question, said), key=lambda each: each[0], default=None)
    return found[1] if found else None


def _repetitions(
    question: Sequence[str], said: Sequence[str]
) -> Iterator[tuple[tuple[int, float, int], tuple[int, int]]]:
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
                share = (_BOTH_SIDES if before and after else _ONE_SIDE) if first < last else 1.0
                if before + after >= max(_FEWEST_REPEATED, share * rest):
                    place_told = place - before, begins + after if after else place
                    yield (before + after, (before + after) / rest, first - last), place_told


def _alike(first: Sequence[str], second: Sequence[str]) -> int:
    """How many words both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
