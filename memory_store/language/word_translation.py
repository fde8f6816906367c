"""Read mixed-language messages word by word in English, for an embedder that knows no other language.

"aspatal kahan hai" and "where is the hospital" are strangers to it, but the meaning of "hospital where is" is near. The
words are those of `word_lists.py`. English words stay, and one that was written by ear in another script comes back
(`loanwords.py`); a word that may be English too is read as the other language only beside unmistakable words of it.
Pure.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from memory_store.language.loanwords import Loanwords, loanwords
from memory_store.language.normalize import fold, latin, respell
from memory_store.language.word_lists import Texts, WordList, kept_lists, script_of

_WORD = re.compile(r"[^\W_]+(?:['’\u0900-\u0d7f\u200c\u200d]+[^\W_]*)*")
_READ_IN = {"pa": ("pa", "hi")}  # by script, where a second list has what the first has not
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

    def has(self, word: str, languages: Iterable[str]) -> bool:
        """Return True if one of these languages has a word, in just this spelling in Latin letters."""
        return any(word in self._languages[language].written for language in languages)

    def languages_of(self, word: str) -> frozenset[str]:
        """Return the languages that can claim a single word for certain; none where it may well be English."""
        read = [self._read(word, language) for language in self._languages if word]
        return frozenset(reading.language for reading in read if reading is not None and reading.sure)

    def english(self, text: str) -> str:
        """Return a text with every word of another language in English; one in English comes back as it is."""
        words = list(_WORD.finditer(text[:_LONGEST]))
        pieces, at = [], 0
        for word, reading in zip(words, self._readings([word[0] for word in words]), strict=True):
            if reading is not None:
                pieces += [text[at : word.start()], reading]
                at = word.end()
        return " ".join("".join([*pieces, text[at:]]).split()) if at else text

    def spelled(self, text: str) -> str:
        """Return a text with each English word that was written by ear in another script as English spells it.

        Whoever writes in Latin letters spells such words as English does: लाइट is "light" there, not "lait".
        """
        if text.isascii():
            return text
        return _WORD.sub(lambda found: self._spelled(found[0]), text[:_LONGEST]) + text[_LONGEST:]

    def _spelled(self, word: str) -> str:
        if not script_of(word[0]):
            return word
        borrowed = self._borrowed.english(word) if self._borrowed else None
        readings = self._possible(word)
        if not readings or borrowed in readings[0].english.split():
            return borrowed or word
        return self._listed_as_itself(word, readings[0])

    def _listed_as_itself(self, word: str, reading: _Reading) -> str:
        """Return the English of a word that its list spells in this way too, where it sounds like it: गैस is "gas"."""
        english = reading.english.partition(" ")[0]
        is_listed = self._languages[reading.language].written.get(english) == reading.english
        is_own = unicodedata.normalize("NFKC", word) in self._languages[reading.language].own
        sounds = consonants(english)
        is_alike = is_own or (len(sounds) > 1 and consonants(word) == sounds)
        return english if is_listed and is_alike else word

    def _readings(self, words: Sequence[str]) -> list[str | None]:
        """Return the English of each word, None for those that stay."""
        possible = [self._possible(word) for word in words]
        evidence = Counter(reading.language for readings in possible for reading in readings if reading.sure)
        sure = [any(reading.sure for reading in readings) for readings in possible]
        chosen: list[str | None] = []
        for place, readings in enumerate(possible):
            beside = any(sure[max(0, place - 1) : place + 2])
            fitting = [reading for reading in readings if reading.sure or (beside and evidence[reading.language])]
            best = max(fitting, key=lambda reading: evidence[reading.language], default=None)
            chosen.append(self._unlisted(words[place]) if best is None else best.english)
        return chosen

    def _unlisted(self, word: str) -> str | None:
        """Return the English word that a word of no list was made from, or at least itself in Latin letters."""
        if word.isascii():
            return None
        english = self._borrowed.english(word) if self._borrowed and script_of(word[0]) else None
        return english or latin(word)

    def _find_possible(self, word: str) -> Sequence[_Reading]:
        script = script_of(word[0])
        languages = _READ_IN.get(script, (script,) if script else self._languages)
        found = [reading for name in languages if (reading := self._read(word, name)) is not None]
        return found[:1] if script else found

    def _read(self, word: str, language: str) -> _Reading | None:
        """Return what a list says of a word as it is written, else of one that is spelled alike."""
        words, script, written = self._languages.get(language), script_of(word[0]), latin(word)
        if words is None:
            return None
        if script and (meaning := words.own.get(unicodedata.normalize("NFKC", word))) is not None:
            return _Reading(language, meaning, sure=True)
        is_english = written in self._english
        if (meaning := words.written.get(written)) is not None:
            return _Reading(language, meaning, sure=bool(script) or not (is_english or written in words.doubtful))
        if (is_english and not script) or (meaning := words.respelled.get(respell(word))) is None:
            return None
        return _Reading(language, meaning, sure=bool(script) or len(written) > _SHORT)


@cache
def glossary() -> WordLists:
    """Return the lists that come with Noted."""
    return WordLists(*kept_lists(), loanwords())


@lru_cache(maxsize=_CACHED)
def in_english(text: str) -> str:
    """Return `text` read word by word in English with the lists that come with Noted."""
    return glossary().english(text)


@lru_cache(maxsize=_CACHED)
def in_english_spelling(text: str) -> str:
    """Return `text` with the English words in it as English spells them."""
    return glossary().spelled(text)


def compared(text: str) -> str:
    """Return `fold` of a text with its English words as English spells them."""
    return fold(in_english_spelling(text))


@dataclass(frozen=True, slots=True)
class Readings:
    """Two functions of a text: its folded form, and what it says in English, word by word."""

    fold: Callable[[str], str]
    english: Callable[[str], str]


READINGS = Readings(compared, in_english)


def consonants(word: str) -> str:
    """Return a word's comparable spelling without the vowels."""
    return respell(word).translate(_NO_VOWELS)
