"""What people say around a question: "for my homework, what is akin to quick, it is urgent". Pure.

Which words are only polite is in `words.toml`. This finds others: a few in front of all that a question shares with a
known one, or behind it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from memory_store.fillers import BEFORE_A_THING
from memory_store.function_words import WordKind, folded_words, function_words
from memory_store.surface import SLOT, fold

_IN_FRONT, _BEHIND, _WITH_A_PAUSE = 4, 2, 4  # so many words at most
_FEWEST_SHARED = 4  # words, the slot among them, where there is no pause
_CHANGES_IT = frozenset({WordKind.NEGATION, WordKind.QUESTION, WordKind.ASKING})
_BEFORE_A_THING = frozenset(fold(word) for words in BEFORE_A_THING for word in words)
_FIRST, _FURTHER = 0.94, 0.985  # what the first and each further word leave of a likeness
_PAUSES = tuple(",;:.!…।–—")

_ABBREVIATED = re.compile(r"(?:\w{1,3}|.*\w\.\w+)\.")  # St., e.g.

_Token = tuple[str, ...]  # the folded form of one written word, mostly one word again


class _Words(NamedTuple):
    """The words of a text as they are written and folded; and before which of them there is a pause, by place."""

    written: tuple[str, ...]
    folded: tuple[_Token, ...]
    pauses: tuple[int, ...]


@lru_cache(maxsize=16_384)
def without_chatter(question: str, known: str) -> tuple[str, int]:
    """The question without what is said around it.

    What is left out has no word that would make another question of it. There is a pause beside it, or the rest is the
    known question word by word.

    Args:
        question: as a person wrote it.
        known: what it is compared with; its slot may be marked.

    Returns:
        The question, and how many words of it were left out.
    """
    asked, expected = _words(question), _words(known)
    if len(asked.folded) <= len(expected.folded) or not expected.folded:
        return question, 0
    more = max(0, len(asked.pauses) - len(expected.pauses))  # the others are the question's own
    first = _in_front(asked.folded, expected.folded, asked.pauses[:more])
    behind = [place - first for place in asked.pauses if place > first][::-1][:more]
    last = len(asked.folded) - _behind(asked.folded[first:], expected.folded, behind)
    left_out = first + len(asked.folded) - last
    return (" ".join(asked.written[first:last]), left_out) if left_out else (question, 0)


def chatter_costs(words: int) -> float:
    """What so many words around a question leave of its likeness to a known one."""
    return _FIRST * _FURTHER ** (words - 1) if words else 1.0


def _in_front(asked: Sequence[_Token], expected: Sequence[_Token], pauses: Collection[int]) -> int:
    """How many words stand in front of what both share.

    Args:
        asked: the words of the question.
        expected: those of the known one.
        pauses: before which words of the question there is one.
    """
    for number in range(1, min(_IN_FRONT, len(asked) - len(expected)) + 1):
        if _changes_it(asked[number - 1]):
            break
        if number in pauses and _shared(asked[number:], expected) >= _shared(asked, expected):
            return number
        belongs_to_it = _is_a_noun(expected[0]) and not _is_call(asked[number - 1])
        if _is_whole(asked[number:], expected) and not belongs_to_it:
            return number
    return 0


def _behind(asked: Sequence[_Token], expected: Sequence[_Token], pauses: Collection[int]) -> int:
    """How many words stand behind what both share."""
    for number in range(1, min(_WITH_A_PAUSE, len(asked) - len(expected)) + 1):
        last = len(asked) - number
        if _changes_it(asked[last]):
            break
        if last in pauses:
            return number
        if number <= _BEHIND and last == len(expected) and SLOT not in expected[-1] and _is_whole(asked, expected):
            return 0 if _links(asked[last]) else number
    return 0


def _is_whole(asked: Sequence[_Token], expected: Sequence[_Token]) -> bool:
    """Whether the question begins with all of the known one, and that says enough."""
    return _FEWEST_SHARED <= len(expected) == _shared(asked, expected)


def _changes_it(token: _Token) -> bool:
    return any(function_words().kind(word) in _CHANGES_IT for word in token)


def _links(token: _Token) -> bool:
    return any(kind is WordKind.LINK for word in token for kind, _ in function_words().groups(word))


def _is_a_noun(token: _Token) -> bool:
    """Whether a word may be one, so that what stands in front of it may belong to it."""
    return any(function_words().kind(word) in {WordKind.CONTENT, WordKind.SLOT} for word in token)


def _is_call(token: _Token) -> bool:
    """Whether a word is said to somebody, or ends what is: "sir ji", "ek baat hai". "is film" is about that film."""
    is_light = all(function_words().kind(word) is WordKind.LIGHT for word in token)
    return is_light and not _links(token) and _BEFORE_A_THING.isdisjoint(token)


def _shared(asked: Sequence[_Token], expected: Sequence[_Token]) -> int:
    """With how many words both begin; a slot stands for any."""
    for place, (one, other) in enumerate(zip(asked, expected, strict=False)):
        if not (SLOT in other or one == other or _mean_the_same(one, other)):
            return place
    return min(len(asked), len(expected))


def _mean_the_same(first: _Token, second: _Token) -> bool:
    groups = function_words().groups
    return len(first) == len(second) == 1 and not groups(first[0]).isdisjoint(groups(second[0]))


@lru_cache(maxsize=16_384)
def _words(text: str) -> _Words:
    """Without the signs that stand alone, but for the pauses that they are."""
    written: list[str] = []
    folded: list[_Token] = []
    pauses: list[int] = []
    for piece in text.split():
        if tokens := folded_words(piece):
            written.append(piece)
            folded.append(tokens)
        if written and piece.endswith(_PAUSES) and not _ABBREVIATED.fullmatch(piece):
            pauses.append(len(written))
    within = (place for place in dict.fromkeys(pauses) if place < len(written))
    return _Words(tuple(written), tuple(folded), tuple(within))
