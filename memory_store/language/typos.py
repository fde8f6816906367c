"""Slips of typing: a word of one question that is meant to be a word of another. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from memory_store.function_words import WordKind, folded_set, folded_words, function_words
from memory_store.surface import SLOT, is_variant

_SHORTEST = 3  # letters
_MAY_BE_SLIPS = frozenset({WordKind.CONTENT, WordKind.COMMON})
_LONG = 8  # letters from which two slips leave a word readable
_EDGES = "\"'“”‘’«»()[]{}<>,;:?!.…।॥`"


class _Typed(NamedTuple):
    """The words of a question that may be slips, each with its place, the letters that they begin with, and the words
    with their first two letters swapped.
    """

    words: tuple[tuple[int, str], ...]
    letters: frozenset[str]
    swapped: frozenset[str]


@lru_cache(maxsize=16_384)
def mended(question: str, known: str) -> tuple[str, int]:
    """The question with the words of another one in place of those that are a slip away from them.

    The first letter stays, for "legal" and "illegal" are two words, or changes places with the second; words that shape
    any question stay.

    Args:
        question: as a person typed it.
        known: what it is compared with. Its words that the question has already are not looked for.

    Returns:
        The question, and how many of its words were changed.
    """
    typed, there = _typed(question), folded_set(question)
    expected = [
        word
        for word, tokens in _expected(known)
        if (word[0] in typed.letters or word in typed.swapped) and there.isdisjoint(tokens)
    ]
    if not expected:
        return question, 0
    known_words = folded_set(known)
    meant = {
        place: other
        for place, word in typed.words
        if known_words.isdisjoint(folded_words(word)) and (other := _meant(word, expected)) is not None
    }
    if not meant:
        return question, 0
    pieces = [_with_edges(piece, meant.get(place)) for place, piece in enumerate(question.split())]
    return " ".join(pieces), len(meant)


def _with_edges(piece: str, meant: str | None) -> str:
    """A written word with another one in its place; the signs around it stay."""
    return piece if meant is None else piece.replace(piece.strip(_EDGES), meant)


@lru_cache(maxsize=16_384)
def _typed(question: str) -> _Typed:
    pieces = enumerate(map(_bare, question.split()))
    words = tuple((place, word) for place, word in pieces if _can_slip(word) and _may_be_a_slip(word))
    return _Typed(words, frozenset(word[0] for _, word in words), frozenset(_swapped(word) for _, word in words))


@lru_cache(maxsize=16_384)
def _expected(known: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The words of a text that a slip may be meant to be, each with its folded words."""
    return tuple((word, folded_words(word)) for word in map(_bare, known.split()) if _can_slip(word))


def _meant(word: str, expected: Sequence[str]) -> str | None:
    return min(
        (other for other in expected if _is_slip(word, other)),
        key=lambda other: OSA.distance(word, other),
        default=None,
    )


def _is_slip(word: str, other: str) -> bool:
    if max(len(word), len(other)) <= _SHORTEST:
        return False
    if word[0] != other[0]:
        return _swapped(word) == other
    allowed = 2 if min(len(word), len(other)) >= _LONG else 1
    return OSA.distance(word, other, score_cutoff=allowed) <= allowed


def _swapped(word: str) -> str:
    """With its first two letters in the other order."""
    return word[1] + word[0] + word[2:]


@lru_cache(maxsize=65_536)
def _may_be_a_slip(word: str) -> bool:
    """Whether it shapes no question; one that only folds to such a word, as "phr" to "for", may mean "phir"."""
    is_listed = function_words().is_written(word) or is_variant(word)
    return not is_listed or all(function_words().kind(token) in _MAY_BE_SLIPS for token in folded_words(word))


@lru_cache(maxsize=65_536)
def _can_slip(word: str) -> bool:
    return len(word) >= _SHORTEST and word != SLOT and not any(letter.isdigit() for letter in word)


def _bare(piece: str) -> str:
    return piece.strip(_EDGES).casefold()
