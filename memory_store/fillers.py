"""The filler of a slot: whether the word that a new question asks about may stand for the one asked about before.

"cold ke saamne kya hai" was a question about a word; "ghar ke saamne kya hai" has the same frame and asks about a
house. What gives it away is the filler: an English word there, a Hindi one here. So fillers are told apart by what kind
of word they are, never by their meaning. Pure, but for the list of English words, which is read once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from assistant.models.lexicon import lexicon
from memory_store.function_words import WordKind, function_words
from memory_store.surface import fold

# People put no article before a word as such: "akin to quick", but "in the dark". What one leaves of the likeness:
ARTICLES = frozenset({"a", "an", "the", fold("the")})
ARTICLE = 0.5

_INDIC_SCRIPTS = frozenset({"DEVANAGARI", "GURMUKHI", "BENGALI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA"})
_SAYS_NOTHING = frozenset({WordKind.LIGHT, WordKind.LINK, WordKind.ASKING})


class FillerKind(StrEnum):
    """What kind of word stands in a slot."""

    ENGLISH = "english"
    INDIC = "indic"
    LATIN = "latin"  # Latin letters, and no English word: Hindi or Punjabi, a name, a slip
    JUMBLED = "jumbled"  # the letters of an English word in another order
    NUMBER = "number"
    TIME = "time"
    OTHER = "other"


# Kind in the new question and kind that the slot was made for, where they differ. All others do not go together.
_LIKENESS = {
    (FillerKind.LATIN, FillerKind.ENGLISH): 0.25,
    (FillerKind.ENGLISH, FillerKind.LATIN): 0.75,  # a rare English word may have been there before
    (FillerKind.LATIN, FillerKind.JUMBLED): 0.6,
    (FillerKind.ENGLISH, FillerKind.JUMBLED): 0.2,
    (FillerKind.JUMBLED, FillerKind.LATIN): 0.6,
    (FillerKind.JUMBLED, FillerKind.ENGLISH): 0.25,
    # Hindi and Punjabi are written in either script, and borrow.
    (FillerKind.LATIN, FillerKind.INDIC): 0.8,
    (FillerKind.INDIC, FillerKind.LATIN): 0.8,
    (FillerKind.ENGLISH, FillerKind.INDIC): 0.3,
    (FillerKind.TIME, FillerKind.INDIC): 0.5,
}


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


def is_only_english(words: Sequence[str], around: Sequence[str]) -> bool:
    """Whether these words, as they were written, are English and those around them, but for small ones, are not."""
    content = [word for word in around if function_words().kind(fold(word)) is WordKind.CONTENT]
    return _kinds(words) == {FillerKind.ENGLISH} and FillerKind.ENGLISH not in map(_kind, content)


def _kinds(words: Sequence[str]) -> set[FillerKind]:
    """The kinds of the words, but for articles and the like beside others."""
    telling = [word for word in words if function_words().kind(fold(word)) not in _SAYS_NOTHING]
    return {_kind(word) for word in telling or words}


@lru_cache(maxsize=16_384)
def _kind(word: str) -> FillerKind:
    if function_words().is_time(fold(word)):
        return FillerKind.TIME
    if any(letter.isdigit() for letter in word):
        return FillerKind.NUMBER
    scripts = {unicodedata.name(letter, "?").split()[0] for letter in word if letter.isalnum()}
    if scripts == {"LATIN"}:
        return _kind_in_latin_letters(word)
    return FillerKind.INDIC if scripts & _INDIC_SCRIPTS else FillerKind.OTHER


def _kind_in_latin_letters(word: str) -> FillerKind:
    if lexicon().find(word):
        return FillerKind.ENGLISH
    return FillerKind.JUMBLED if lexicon().spelled_with(word) else FillerKind.LATIN


def _likeness(new: FillerKind, stored: FillerKind) -> float:
    return 1.0 if new is stored else _LIKENESS.get((new, stored), 0.0)
