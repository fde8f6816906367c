"""The filler of a slot: whether the word that a new question asks about may stand for the one asked about before.

"cold ke saamne kya hai" was a question about a word; "ghar ke saamne kya hai" has the same frame and asks about a place.
What gives it away is the filler: an English word there, a Hindi one here. So fillers are told apart by what kind of word
they are, never by their meaning. Pure.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from functools import cache, lru_cache

from assistant.models.lexicon import Lexicon
from memory_store.function_words import WordKind, function_words
from memory_store.surface import fold

_INDIC_SCRIPTS = frozenset({"DEVANAGARI", "GURMUKHI", "BENGALI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA"})
_ONE_UNKNOWN = 0.5  # of two words of Latin letters, one is in no list: a name, a slip, jumbled letters, or Hindi
_SAYS_NOTHING = frozenset({WordKind.LIGHT, WordKind.LINK, WordKind.ASKING})


class FillerKind(StrEnum):
    """What kind of word stands in a slot."""

    ENGLISH = "english"
    INDIC = "indic"
    LATIN = "latin"  # Latin letters, and no word that is known
    NUMBER = "number"
    TIME = "time"
    OTHER = "other"


def filler_likeness(new: Sequence[str], stored: Sequence[str]) -> float:
    """Whether the words in a slot are of the kind that it was made for, in [0, 1].

    Args:
        new: the words in the slot of the new question, as they were written.
        stored: those of the question that it is compared with. Empty where they are not known; then the result is 1.
    """
    if not stored or [fold(word) for word in new] == [fold(word) for word in stored]:
        return 1.0
    kinds, expected = _kinds(new), _kinds(stored)
    if not kinds:
        return 0.0
    return min(max(_likeness(kind, other) for other in expected) for kind in kinds) if expected else 1.0


def _kinds(words: Sequence[str]) -> set[FillerKind]:
    """The kinds of the words, but for articles and the like beside others."""
    telling = [word for word in words if function_words().kind(fold(word)) not in _SAYS_NOTHING]
    return {_kind(word) for word in telling or words}


@lru_cache(maxsize=16_384)
def _kind(word: str) -> FillerKind:
    letters = [letter for letter in word if letter.isalnum()]
    if not letters:
        return FillerKind.OTHER
    if function_words().is_time(fold(word)):
        return FillerKind.TIME
    if any(letter.isdigit() for letter in letters):
        return FillerKind.NUMBER
    scripts = {unicodedata.name(letter, "?").split()[0] for letter in letters}
    if scripts & _INDIC_SCRIPTS:
        return FillerKind.INDIC
    if scripts != {"LATIN"}:
        return FillerKind.OTHER
    return FillerKind.ENGLISH if _english().find(word) else FillerKind.LATIN


def _likeness(new: FillerKind, stored: FillerKind) -> float:
    if new is stored:
        return 1.0
    # Hindi and Punjabi are written in either script, so an unknown word of Latin letters is as good as one of them.
    if {new, stored} in ({FillerKind.LATIN, FillerKind.INDIC}, {FillerKind.LATIN, FillerKind.ENGLISH}):
        return _ONE_UNKNOWN
    return 0.0


@cache
def _english() -> Lexicon:
    return Lexicon()
