"""The filler of a slot: whether the word that a new question asks about may stand for the one asked about before.

"cold ke saamne kya hai" was a question about a word; "ghar ke saamne kya hai" has the same frame and asks about a
house. What gives it away is the filler: an English word there, a Hindi one here. So fillers are told apart by what kind
of word they are, never by their meaning. Pure, but for the list of English words, which is read once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from assistant.models.lexicon import lexicon
from memory_store.function_words import WordKind, function_words
from memory_store.rare_words import is_english, is_name, looks_english
from memory_store.surface import fold

# People put no article before a word as such: "akin to quick", but "in the dark". What one leaves of the likeness:
ARTICLES = frozenset({"a", "an", "the", fold("the")})
ARTICLE = 0.5
# The same as people write it, for "te" is Punjabi too, and what Hindi has instead: "is bill ka", "ye photo".
BEFORE_A_THING = (
    frozenset({"a", "an", "the"}),
    frozenset({"is", "us", "ye", "yeh", "vo", "voh", "woh", "this", "that", "these", "those"}),
)

_LONG = 6  # letters from which a slip leaves a word readable, and few words of other languages look like one
_FREQUENT = 20_000
_CLEARLY = 1.0  # the odds of a word that looks English though it may be the letters of another in any order
_INDIC_SCRIPTS = frozenset({"DEVANAGARI", "GURMUKHI", "BENGALI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA"})
_TELLS = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION, WordKind.COMMON})
_SAYS_NOTHING = frozenset({WordKind.LIGHT, WordKind.LINK, WordKind.ASKING})


class FillerKind(StrEnum):
    """What kind of word stands in a slot."""

    ENGLISH = "english"
    INDIC = "indic"
    UNKNOWN = "unknown"  # no word that is known, and it looks English
    LATIN = "latin"  # Latin letters, and no English word: Hindi or Punjabi, a slip
    NAME = "name"  # the same, with a large first letter or often without
    JUMBLED = "jumbled"  # the letters of an English word in another order
    NUMBER = "number"
    TIME = "time"
    OTHER = "other"


_ENGLISH = frozenset({FillerKind.ENGLISH, FillerKind.UNKNOWN})
# Kind in the new question and kind that the slot was made for, where they differ. All others do not go together.
_LIKENESS = {
    (FillerKind.UNKNOWN, FillerKind.ENGLISH): 0.95,
    (FillerKind.ENGLISH, FillerKind.UNKNOWN): 1.0,
    (FillerKind.LATIN, FillerKind.ENGLISH): 0.25,
    (FillerKind.ENGLISH, FillerKind.LATIN): 0.9,  # people ask about words of any language
    (FillerKind.UNKNOWN, FillerKind.LATIN): 0.9,
    (FillerKind.LATIN, FillerKind.UNKNOWN): 0.4,
    (FillerKind.NAME, FillerKind.ENGLISH): 0.25,
    (FillerKind.NAME, FillerKind.UNKNOWN): 0.3,
    (FillerKind.NAME, FillerKind.LATIN): 0.9,
    (FillerKind.NAME, FillerKind.INDIC): 0.7,
    (FillerKind.ENGLISH, FillerKind.NAME): 0.75,
    (FillerKind.UNKNOWN, FillerKind.NAME): 0.75,
    (FillerKind.LATIN, FillerKind.NAME): 0.9,
    (FillerKind.INDIC, FillerKind.NAME): 0.7,
    (FillerKind.UNKNOWN, FillerKind.JUMBLED): 1.0,
    (FillerKind.JUMBLED, FillerKind.UNKNOWN): 1.0,
    (FillerKind.UNKNOWN, FillerKind.INDIC): 0.5,
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


def filler_likeness(
    new: Sequence[str], stored: Sequence[str], said: Sequence[str] = (), around: Sequence[str] = ()
) -> float:
    """Whether the words in a slot are of the kind that it was made for, in [0, 1].

    Args:
        new: the words in the slot of the new question, as they were written.
        stored: those of the question that it is compared with. Empty where they are not known; then the result is 1.
        said: the folded words that put that one right. Who wants a synonym of "tomorrow" asks about no day.
        around: the other words of the new question, as they were written. Among English ones alone, an unknown word is
            rather a rare English one; and where they tell nothing ("what about tomorrow") a day is a day.
    """
    if not stored or [fold(word) for word in new] == [fold(word) for word in stored]:
        return 1.0
    is_about_words = function_words().is_about_words(said)
    expected = _kinds(stored) | (_kinds(stored, _kind_by_letters) if is_about_words else set())
    asks_about_a_word = is_about_words and any(function_words().kind(fold(word)) in _TELLS for word in around)
    meant = [_meant(word) for word in new] if expected <= _ENGLISH else new
    kinds = _kinds(meant, _kind_by_letters if asks_about_a_word else _kind)
    if not kinds:
        return 0.0
    if FillerKind.LATIN in kinds and around and _ENGLISH.issuperset(map(_kind, around)):
        kinds = kinds - {FillerKind.LATIN} | {FillerKind.UNKNOWN}
    return min(max(_likeness(kind, other) for other in expected) for kind in kinds) if expected else 1.0


def is_only_english(words: Sequence[str], around: Sequence[str]) -> bool:
    """Whether these words, as they were written, are English and those around them, but for small ones, are not.

    A known word goes before one that only looks English.
    """
    kinds = _kinds(words)
    rivals = {FillerKind.ENGLISH} if kinds == {FillerKind.ENGLISH} else _ENGLISH
    content = {_kind(word) for word in around if function_words().kind(fold(word)) is WordKind.CONTENT}
    # One word that no list has makes no question of another language.
    foreign = [word for word in around if _kind(word) not in _ENGLISH]
    return kinds <= _ENGLISH and rivals.isdisjoint(content) and 2 * len(foreign) > len(around)


@lru_cache(maxsize=16_384)
def _kind(word: str) -> FillerKind:
    if function_words().is_time(fold(word)):
        return FillerKind.TIME
    return _kind_by_letters(word)


def _kinds(words: Sequence[str], kind_of: Callable[[str], FillerKind] = _kind) -> set[FillerKind]:
    """The kinds of the words, but for articles and the like beside others."""
    telling = [word for word in words if function_words().kind(fold(word)) not in _SAYS_NOTHING]
    return {kind_of(word) for word in telling or words}


@lru_cache(maxsize=16_384)
def _kind_by_letters(word: str) -> FillerKind:
    if any(letter.isdigit() for letter in word):
        return FillerKind.NUMBER
    scripts = {unicodedata.name(letter, "?").split()[0] for letter in word if letter.isalnum()}
    if scripts == {"LATIN"}:
        return _kind_in_latin_letters(word)
    return FillerKind.INDIC if scripts & _INDIC_SCRIPTS else FillerKind.OTHER


def _kind_in_latin_letters(word: str) -> FillerKind:
    if is_english(word):
        return FillerKind.ENGLISH
    if word.istitle() or is_name(word):
        return FillerKind.NAME
    jumbled = lexicon().spelled_with(word)
    if looks_english(word, _CLEARLY if jumbled else 0.0):
        return FillerKind.UNKNOWN
    return FillerKind.JUMBLED if jumbled else FillerKind.LATIN


@lru_cache(maxsize=16_384)
def _meant(word: str) -> str:
    """The frequent English word that a long one was meant to be, if it has two letters swapped or one too many or too
    few; else the word itself. One letter for another makes a name as well: Salman is no salmon.
    """
    if len(word) < _LONG or not word.isalpha() or is_english(word):
        return word
    typed = word.lower()
    near = (other for other in _frequent().get(typed[0], ()) if OSA.distance(typed, other, score_cutoff=1) <= 1)
    return next((other for other in near if len(other) != len(typed) or sorted(other) == sorted(typed)), word)


@cache
def _frequent() -> Mapping[str, Sequence[str]]:
    """Frequent English words by their first letter."""
    found: dict[str, list[str]] = {}
    for word in lexicon().frequent(_FREQUENT):
        if len(word.text) >= _LONG:
            found.setdefault(word.text[0], []).append(word.text)
    return found


def _likeness(new: FillerKind, stored: FillerKind) -> float:
    return 1.0 if new is stored else _LIKENESS.get((new, stored), 0.0)
