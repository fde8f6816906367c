"""Translate mixed-language messages word by word to English, for an embedder that knows no other language.

"aspatal kahan hai" means nothing to it, but "hospital where is" is near to "where is the hospital". One file holds the
words; `python -m tools.lists.build_word_lists` makes it from the lists in `tools/lists/words`. English words stay. A
word that may be English is translated only beside words that are certainly of the other language. Pure.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import Levenshtein

from assistant.language.text_table import TextTable, open_tables
from memory_store.language.normalize import fold, respell, to_latin

FOLDER = Path(__file__).with_name("lists")
WORD_LISTS_FILE = FOLDER / "word_lists.marisa"
ENGLISH, SOUNDS = "english", "sounds"  # tables: English words, and their sounds as other scripts write them
LANGUAGES = ("hi", "pa", "es", "bn", "ta")  # if two fit equally well, the first is taken
# By Unicode block of 128 letters. Urdu shares the words of spoken Hindi.
_LANGUAGES_OF_BLOCKS = {0x0900: "hi", 0x0980: "bn", 0x0A00: "pa", 0x0B80: "ta", 0x0600: "hi", 0x0680: "hi"}
_READ_IN = {"pa": ("pa", "hi")}  # by script: further lists to search
_WORD = re.compile(r"[^\W_]+(?:['’\u0900-\u0d7f\u200c\u200d]+[^\W_]*)*")
_LONGEST = 2_000  # characters
_CACHED = 4_096
_VOWELS = frozenset("aeiou")
_NO_VOWELS = str.maketrans("", "", "aeiouy")
_SHORT = 3  # letters; a shorter unlisted spelling is too ambiguous
_DIPHTHONG = re.compile("(?<=[aou])y(?![aeiou])")  # vayras, vairas
_GLIDE = re.compile("(?<=[ei])y(?=[aeiou])")  # sheyar, shear; midiya, midia


def _letters(devanagari: str) -> str:
    """Return these letters and those of Bengali and Gurmukhi, 128 and 256 code points later."""
    return "".join(chr(ord(letter) + behind) for behind in (0x0000, 0x0080, 0x0100) for letter in devanagari)


# Decomposed letters that no English word needs: aspirates, ñ, ṛ and the flaps; bh, which is v in Bengali; n with a dot
# at the end. A dental t or d is hardly ever the English one (`_DENTAL`). Letters that nearly only English words have
# (`_CLEAR`) allow a freer spelling.
_FOREIGN = re.compile(
    f"[{_letters('ऋृखघङछझञठढधळ')}\u092d\u0a2d\u0a5c\u0b9e\u0bb3\u0bb4]|[कखगडढਕਖਗডঢ][\u093c\u09bc\u0a3c]"
    f"|[{_letters('ण')}\u0ba3](?![{_letters('्')}\u0bcd])|[{_letters('ँं')}]$|[حخصضطظعغقثذھںے]"
)
_DENTAL = re.compile(f"[{_letters('तथद')}\u0ba4دت]")
_CLEAR = re.compile(f"[{_letters('टडॉऑॅऍ')}ஸஜஷஃٹڈ]|[जफਜਫ][\u093c\u0a3c]|\u09cd\u09af\u09be|^ட|ட்(?!ட)|[கசபற]்$")
_FLAT_A = re.compile(f"[{_letters('ऐै')}]")  # of bank and flat; sounds like the preceding code point, ए or its sign
_FLOOR, _CLEAR_FLOOR = 0.88, 0.74  # lowest similarity of two sounds
_FEWEST = 3  # consonants; fewer are too ambiguous


class Texts(Protocol):
    """Table from texts to texts."""

    def get(self, text: str, /) -> str | None: ...

    def __contains__(self, text: object, /) -> bool: ...


NO_TEXTS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class WordList:
    """Words of one language with their English."""

    written: Texts  # as typed in Latin letters, and in their own script: कार and कर differ, both are "kar"
    doubtful: Texts  # words in Latin letters that may be English as well
    respelled: Texts  # by comparable spelling, for unlisted spellings


TABLES = tuple(WordList.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class _Reading:
    """English of a word in one language, and whether this reading is certain."""

    language: str
    english: str
    sure: bool


class WordLists:
    """Word lists by language, the likeliest first; `english` are English words in lower case.

    `sounds` maps `sound_of` English words written by ear in another script to the word, and `consonants_of` to all such
    sounds with these consonants.
    """

    def __init__(self, languages: Mapping[str, WordList], english: Texts = NO_TEXTS, sounds: Texts = NO_TEXTS) -> None:
        self._languages = languages
        self._english = english
        self._sounds = sounds
        self._possible = lru_cache(maxsize=_CACHED)(self._find_possible)  # the same few thousand words recur

    def has(self, word: str, languages: Iterable[str]) -> bool:
        """Return True if one of these languages lists this exact spelling in Latin letters."""
        return any(word in self._languages[language].written for language in languages)

    def languages_of(self, word: str) -> frozenset[str]:
        """Return the languages that a word certainly belongs to; none if it may be English."""
        read = [self._read(word, language) for language in self._languages if word]
        return frozenset(reading.language for reading in read if reading is not None and reading.sure)

    def english(self, text: str) -> str:
        """Return a text with the words of other languages in English; English texts are returned unchanged."""
        words = list(_WORD.finditer(text[:_LONGEST]))
        pieces, at = [], 0
        for word, reading in zip(words, self._readings([word[0] for word in words]), strict=True):
            if reading is not None:
                pieces += [text[at : word.start()], reading]
                at = word.end()
        return " ".join("".join([*pieces, text[at:]]).split()) if at else text

    def spelled(self, text: str) -> str:
        """Return a text with English words in another script spelled as in English: लाइट becomes "light".

        Text in Latin letters is unchanged: there, people spell such words as in English.
        """
        if text.isascii():
            return text
        return _WORD.sub(lambda found: self._spelled(found[0]), text[:_LONGEST]) + text[_LONGEST:]

    def by_ear(self, word: str) -> str | None:
        """Return the English word that sounds like a word in a Brahmic or Arabic script, or None."""
        word = _FLAT_A.sub(lambda found: chr(ord(found[0]) - 1), unicodedata.normalize("NFKC", word))
        if not script_of(word[0]) or _FOREIGN.search(word):
            return None
        is_clear, sound = bool(_CLEAR.search(word)), sound_of(word)
        found = self._sounds.get(sound) or self._nearest(simplify_sound(sound), _CLEAR_FLOOR if is_clear else _FLOOR)
        return None if found and "th" not in found and _DENTAL.search(word) and not is_clear else found

    def _nearest(self, sound: str, floor: float) -> str | None:
        """Return the word with the same consonants and the most similar vowels, or None below `floor`."""
        ends = consonants_of(sound)
        known = (self._sounds.get(ends) or "").split() if len(ends.replace("a", "")) > _FEWEST else []
        alike = {other: Levenshtein.ratio(sound, simplify_sound(other)) for other in known}
        best = max(alike, key=lambda other: alike[other], default="")
        return self._sounds.get(best) if best and alike[best] > floor else None

    def _spelled(self, word: str) -> str:
        borrowed, readings = self.by_ear(word), self._possible(word)
        if not readings or not script_of(word[0]) or borrowed in readings[0].english.split():
            return borrowed or word
        # A list may give the English spelling, too: गैस is "gas".
        english = readings[0].english.partition(" ")[0]
        is_listed = self._languages[readings[0].language].written.get(english) == readings[0].english
        return english if is_listed and consonants(word) == consonants(english) else word

    def _readings(self, words: Sequence[str]) -> list[str | None]:
        """Return the English of each word, or None for words that stay."""
        possible = [self._possible(word) for word in words]
        evidence = Counter(reading.language for readings in possible for reading in readings if reading.sure)
        sure = [any(reading.sure for reading in readings) for readings in possible]
        chosen: list[str | None] = []
        for place, readings in enumerate(possible):
            beside = any(sure[max(0, place - 1) : place + 2])
            fitting = [reading for reading in readings if reading.sure or (beside and evidence[reading.language])]
            best = max(fitting, key=lambda reading: evidence[reading.language], default=None)
            chosen.append(self._guess_unlisted(words[place]) if best is None else best.english)
        return chosen

    def _guess_unlisted(self, word: str) -> str | None:
        """Return the English word that an unlisted word sounds like, else its Latin letters; None if it is ASCII."""
        return None if word.isascii() else self.by_ear(word) or to_latin(word)

    def _find_possible(self, word: str) -> Sequence[_Reading]:
        script = script_of(word[0])
        languages = _READ_IN.get(script, (script,) if script else self._languages)
        found = [reading for name in languages if (reading := self._read(word, name)) is not None]
        return found[:1] if script else found

    def _read(self, word: str, language: str) -> _Reading | None:
        """Return the reading of a word by one list: as written, else by a similar spelling."""
        words, script, written = self._languages.get(language), script_of(word[0]), to_latin(word)
        if words is None:
            return None
        is_english = not script and written in self._english
        if meaning := words.written.get(unicodedata.normalize("NFKC", word)) or words.written.get(written):
            return _Reading(language, meaning, sure=not is_english and (bool(script) or written not in words.doubtful))
        if is_english or (meaning := words.respelled.get(respell(word))) is None:
            return None
        return _Reading(language, meaning, sure=bool(script) or len(written) > _SHORT)


@cache
def glossary() -> WordLists:
    """Return the cached word lists of Noted."""
    file = open_tables(WORD_LISTS_FILE)
    lists = {each: WordList(*(TextTable(file, f"{each} {table}") for table in TABLES)) for each in LANGUAGES}
    return WordLists(lists, TextTable(file, ENGLISH), TextTable(file, SOUNDS))


@lru_cache(maxsize=_CACHED)
def translate_to_english(text: str) -> str:
    """Translate a text word by word to English with the word lists of Noted."""
    return glossary().english(text)


@lru_cache(maxsize=_CACHED)
def spell_as_english(text: str) -> str:
    """Return a text with its English words spelled as in English."""
    return glossary().spelled(text)


def fold_for_comparison(text: str) -> str:
    """Return a text folded, with its English words spelled as in English."""
    return fold(spell_as_english(text))


@dataclass(frozen=True, slots=True)
class Readings:
    """Functions of a text: its folded form, and its English word by word."""

    fold: Callable[[str], str]
    english: Callable[[str], str]


READINGS = Readings(fold_for_comparison, translate_to_english)


def script_of(letter: str) -> str:
    """Return the language of a letter's script; empty for other scripts."""
    return _LANGUAGES_OF_BLOCKS.get(ord(letter) // 0x80 * 0x80, "")


def sound_of(word: str) -> str:
    """Return the comparable spelling that keeps sh and s apart and drops a y between vowels."""
    return _GLIDE.sub("", _DIPHTHONG.sub("i", respell(to_latin(word).replace("sh", "x")).replace("x", "sh")))


def simplify_sound(sound: str) -> str:
    """Return a sound without distinctions that some scripts do not write."""
    return sound.replace("sh", "s").replace("ch", "c")


def consonants_of(sound: str) -> str:
    """Return the consonants of a sound, with "a" for a vowel at its start or end."""
    before, behind = ("a" if end in _VOWELS else "" for end in (sound[:1], sound[-1:]))
    return f":{before}{sound.translate(_NO_VOWELS)}{behind}"


def consonants(word: str) -> str:
    """Return the consonants of a word's comparable spelling."""
    return respell(word).translate(_NO_VOWELS)
