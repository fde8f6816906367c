"""Reads mixed-language messages word by word in English, for an embedder that knows no other language.

"aspatal kahan hai" and "where is the hospital" are strangers to it, but the meaning of "hospital where is" is near. The
words are those of `word_lists.py`. English words stay, and one that was written by ear in another script comes back
(`loanwords.py`); a word that may be English too is read as the other language only beside unmistakable words of it.
Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from memory_store.language.loanwords import Loanwords, loanwords
from memory_store.language.normalize import fold, latin, respell
from memory_store.language.word_lists import LANGUAGES, Texts, WordList, kept_lists, script_of

_WORD = re.compile(r"[^\W_]+(?:['’\u0900-\u0d7f\u200c\u200d]+[^\W_]*)*")
_NEAR = {language: frozenset({"hi", "pa"}) for language in ("hi", "pa")}  # these share many words
_READ_IN = {"pa": ("pa", "hi")}  # by script, where a second list has what the first has not
_LOUDER = 3
_LONGEST = 2_000  # characters
_CACHED = 4_096
_NO_VOWELS = str.maketrans("", "", "aeiouy")
_SHORT = 3  # letters; a spelling that is not listed and no longer than this may be anything


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a word of a message may mean in one language, and whether it can hardly be anything else."""

    language: str
    english: str
    sure: bool


class WordLists:
    """Word lists, one per language, the likeliest first; `english` are English words in lower case.

    `borrowed` is for English words that are written by ear in another script and that no list has.
    """

    def __init__(
        self,
        languages: Mapping[str, WordList],
        english: Texts = MappingProxyType({}),
        borrowed: Loanwords | None = None,
    ) -> None:
        self._languages = languages
        self._english = english
        self._borrowed = borrowed
        self._possible = lru_cache(maxsize=_CACHED)(self._find_possible)  # the same few thousand words, again and again

    @classmethod
    def kept(cls, languages: Collection[str] = LANGUAGES) -> WordLists:
        """The lists of these languages, and the loanwords, that come with Noted."""
        return cls(*kept_lists(languages), loanwords())

    def has(self, word: str, languages: Iterable[str]) -> bool:
        """Whether one of these languages has a word, in just this spelling in Latin letters."""
        return any(word in self._languages[language].written for language in languages)

    def has_alike(self, word: str, languages: Iterable[str]) -> bool:
        """Whether one of these languages has a word, in this spelling or another usual one."""
        return any(self._listed(word, language) or self._respelled(word, language) for language in languages)

    def languages_of(self, word: str, languages: Iterable[str]) -> frozenset[str]:
        """Which of these languages can claim a single word for certain; none where it may well be English."""
        read = [self._listed(word, name) or self._respelled(word, name) for name in languages if word]
        return frozenset(reading.language for reading in read if reading is not None and reading.sure)

    def english(self, text: str) -> str:
        """The text with every word of another language in English; a text in English comes back as it is."""
        words = list(_WORD.finditer(text[:_LONGEST]))
        pieces, at = [], 0
        for word, reading in zip(words, self._readings([word[0] for word in words]), strict=True):
            if reading is not None:
                pieces += [text[at : word.start()], reading]
                at = word.end()
        return " ".join("".join([*pieces, text[at:]]).split()) if at else text

    def spelled(self, text: str) -> str:
        """The text with each English word that somebody wrote by ear in another script as English spells it.

        Whoever writes in Latin letters spells such words as English does: लाइट is "light" there, not "lait".
        """
        if text.isascii():
            return text
        return _WORD.sub(lambda found: self._spelled(found[0]) or found[0], text[:_LONGEST]) + text[_LONGEST:]

    def _spelled(self, word: str) -> str | None:
        """The English word that this word of another script is, None where it is none or may well be none."""
        if not script_of(word[0]) or self._borrowed is None:
            return None
        english = self._borrowed.english(word)
        readings = self._possible(word)
        if readings and english not in readings[0].english.split():
            return self._listed_as_itself(word, readings[0])
        return english

    def _listed_as_itself(self, word: str, reading: _Reading) -> str | None:
        """The English of a word that its list has among the spellings too, and that sounds like it: गैस is "gas"."""
        words = self._languages[reading.language]
        english = reading.english.partition(" ")[0]
        sounds = consonants(english)
        alike = unicodedata.normalize("NFKC", word) in words.own or (len(sounds) > 1 and consonants(word) == sounds)
        return english if alike and words.written.get(english) == reading.english else None

    def _readings(self, words: Sequence[str]) -> list[str | None]:
        """English for each word, None for those that stay."""
        possible = [self._possible(word) for word in words]
        evidence = Counter(reading.language for readings in possible for reading in readings if reading.sure)
        possible = [[one for one in readings if _fits(one.language, evidence)] for readings in possible]
        sure = [any(reading.sure for reading in readings) for readings in possible]
        chosen: list[str | None] = []
        for place, readings in enumerate(possible):
            beside = any(sure[max(0, place - 1) : place + 2])
            fitting = [reading for reading in readings if reading.sure or (beside and evidence[reading.language])]
            best = max(fitting, key=lambda reading: evidence[reading.language], default=None)
            chosen.append(self._unlisted(words[place]) if best is None else best.english)
        return chosen

    def _unlisted(self, word: str) -> str | None:
        """A word that no list has: the English one it was made from, or at least itself in Latin letters."""
        if word.isascii():
            return None
        english = self._borrowed.english(word) if self._borrowed and script_of(word[0]) else None
        return english or latin(word)

    def _find_possible(self, word: str) -> Sequence[_Reading]:
        script = script_of(word[0])
        languages = _READ_IN.get(script, (script,) if script else self._languages)
        read = [self._listed(word, name) or self._respelled(word, name) for name in languages]
        found = [reading for reading in read if reading is not None]
        return found[:1] if script else found

    def _listed(self, word: str, language: str) -> _Reading | None:
        """What a list says of a word as it is written."""
        words, script, written = self._languages.get(language), script_of(word[0]), latin(word)
        if words is None:
            return None
        if script and (meaning := words.own.get(unicodedata.normalize("NFKC", word))) is not None:
            return _Reading(language, meaning, sure=True)
        if (meaning := words.written.get(written)) is None:
            return None
        doubtful = written in self._english or written in words.doubtful
        return _Reading(language, meaning, sure=bool(script) or not doubtful)

    def _respelled(self, word: str, language: str) -> _Reading | None:
        """What a list says of a word that is spelled in another way there."""
        words, script, written = self._languages.get(language), script_of(word[0]), latin(word)
        if words is None or (not script and written in self._english):
            return None
        if (meaning := words.respelled.get(respell(word))) is None:
            return None
        return _Reading(language, meaning, sure=bool(script) or len(written) > _SHORT)


@cache
def glossary() -> WordLists:
    """The lists that come with Noted."""
    return WordLists.kept()


@lru_cache(maxsize=_CACHED)
def in_english(text: str) -> str:
    """`text` read word by word in English with the lists that come with Noted."""
    return glossary().english(text)


@lru_cache(maxsize=_CACHED)
def in_english_spelling(text: str) -> str:
    """`text` with the English words in it as English spells them, with the lists that come with Noted."""
    return glossary().spelled(text)


def compared(text: str) -> str:
    """`fold`, with English words that were written by ear in another script as English spells them."""
    return fold(in_english_spelling(text))


@dataclass(frozen=True, slots=True)
class Readings:
    """Two functions of a text: its folded form, and what it says in English, word by word."""

    fold: Callable[[str], str]
    english: Callable[[str], str]


READINGS = Readings(compared, in_english)


def consonants(word: str) -> str:
    """What is left of a word's comparable spelling without the vowels."""
    return respell(word).translate(_NO_VOWELS)


def _fits(language: str, evidence: Counter[str]) -> bool:
    """Whether a message may have words of this language: not where others speak for another one far louder."""
    near = _NEAR.get(language, frozenset({language}))
    return max(evidence[other] for other in near) * _LOUDER >= max(evidence.values(), default=0)
