"""Slips of typing: a word of one question that is meant to be a word of another. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from memory_store.function_words import WordKind, folded_words, function_words
from memory_store.surface import SLOT

_SHORTEST = 3  # letters
_MAY_BE_SLIPS = frozenset({WordKind.CONTENT, WordKind.COMMON})
_LONG = 8  # letters from which two slips leave a word readable
_EDGES = "\"'“”‘’«»()[]{}<>,;:?!.…।॥`"


@lru_cache(maxsize=16_384)
def mended(question: str, known: str) -> tuple[str, int]:
    """The question with the words of another one in place of those that are a slip away from them.

    The first letter stays, for "legal" and "illegal" are two words; so do words that shape any question.

    Args:
        question: as a person typed it.
        known: what it is compared with. Its words that the question has already are not looked for.

    Returns:
        The question, and how many of its words were changed.
    """
    pieces = question.split()
    typed = [_bare(piece) for piece in pieces]
    there = frozenset(folded_words(question))
    expected = [word for word in map(_bare, known.split()) if _can_slip(word) and there.isdisjoint(folded_words(word))]
    if not expected:
        return question, 0
    changed = 0
    for place, word in enumerate(typed):
        meant = _meant(word, expected) if _can_slip(word) and _may_be_a_slip(word) else None
        if meant is not None:
            pieces[place] = meant
            changed += 1
    return (" ".join(pieces), changed) if changed else (question, 0)


def _meant(word: str, expected: Sequence[str]) -> str | None:
    return min(
        (other for other in expected if _is_slip(word, other)),
        key=lambda other: OSA.distance(word, other),
        default=None,
    )


def _is_slip(word: str, other: str) -> bool:
    allowed = 2 if min(len(word), len(other)) >= _LONG else 1
    return word[0] == other[0] and max(len(word), len(other)) > _SHORTEST and OSA.distance(word, other) <= allowed


def _may_be_a_slip(word: str) -> bool:
    return all(function_words().kind(token) in _MAY_BE_SLIPS for token in folded_words(word))


def _can_slip(word: str) -> bool:
    return len(word) >= _SHORTEST and word != SLOT and not any(letter.isdigit() for letter in word)


def _bare(piece: str) -> str:
    return piece.strip(_EDGES).casefold()
