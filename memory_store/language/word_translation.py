"""Read mixed-language messages word by word in English, for an embedder that knows no other language.

"aspatal kahan hai" and "where is the hospital" are strangers to it, but the meaning of "hospital where is" is near. The
words are in one file, which `python -m tools.lists.build_word_lists` makes from the plain lists in `tools/lists/words`.
English words stay; a word that may be English too is read as the other language only beside unmistakable words of it.
Pure.
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
from memory_store.language.normalize import fold, latin, respell

FOLDER = Path(__file__).with_name("lists")
KEPT = FOLDER / "word_lists.marisa"
ENGLISH, SOUNDS = "english", "sounds"  # tables: English words, and how they sound when another script writes them
LANGUAGES = ("hi", "pa", "es", "bn", "ta")  # where a message speaks for two alike, the more likely one first
# By block of Unicode, each of 128 letters. Urdu has the words of spoken Hindi.
_LANGUAGES_OF_BLOCKS = {0x0900: "hi", 0x0980: "bn", 0x0A00: "pa", 0x0B80: "ta", 0x0600: "hi", 0x0680: "hi"}
_READ_IN = {"pa": ("pa", "hi")}  # by script, where a second list has what the first has not
_WORD = re.compile(r"[^\W_]+(?:['’\u0900-\u0d7f\u200c\u200d]+[^\W_]*)*")
_LONGEST = 2_000  # characters
_CACHED = 4_096
_VOWELS = frozenset("aeiou")
_NO_VOWELS = str.maketrans("", "", "aeiouy")
_SHORT = 3  # letters; a spelling that is not listed and no longer than this may be anything
_DIPHTHONG = re.compile("(?<=[aou])y(?![aeiou])")  # vayras, vairas
_GLIDE = re.compile("(?<=[ei])y(?=[aeiou])")  # sheyar, shear; midiya, midia


def _letters(devanagari: str) -> str:
    """Return these letters and their like in Bengali and Gurmukhi, which stand 128 and 256 places behind them."""
    return "".join(chr(ord(letter) + behind) for behind in (0x0000, 0x0080, 0x0100) for letter in devanagari)


# Of decomposed letters that no English word needs: aspirates, ñ, ṛ and the flaps; bh, which is v in Bengali; n with a
# dot at the end. What is written with t and d of the teeth is hardly ever English t or d, and what has a letter that
# hardly any but English words have may be spelled more freely.
_FOREIGN = re.compile(
    f"[{_letters('ऋृखघङछझञठढधळ')}\u092d\u0a2d\u0a5c\u0b9e\u0bb3\u0bb4]|[कखगडढਕਖਗডঢ][\u093c\u09bc\u0a3c]"
    f"|[{_letters('ण')}\u0ba3](?![{_letters('्')}\u0bcd])|[{_letters('ँं')}]$|[حخصضطظعغقثذھںے]"
)
_DENTAL = re.compile(f"[{_letters('तथद')}\u0ba4دت]")
_CLEAR = re.compile(f"[{_letters('टडॉऑॅऍ')}ஸஜஷஃٹڈ]|[जफਜਫ][\u093c\u0a3c]|\u09cd\u09af\u09be|^ட|ட்(?!ட)|[கசபற]்$")
_FLAT_A = re.compile(f"[{_letters('ऐै')}]")  # of bank and flat; ए, which stands before ऐ, and its sign sound alike
_FLOOR, _CLEAR_FLOOR = 0.88, 0.74  # least likeness of two sounds
_FEWEST = 3  # consonants; fewer say little


class Texts(Protocol):
    """Texts by texts."""

    def get(self, text: str, /) -> str | None: ...

    def __contains__(self, text: object, /) -> bool: ...


NO_TEXTS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class WordList:
    """The words of one language with their English."""

    written: Texts  # as people type them in Latin letters, and in their own script: कार is no कर, both are "kar"
    doubtful: Texts  # those that, in Latin letters, may be English just as well
    respelled: Texts  # by comparable spelling, for spellings that are not listed


TABLES = tuple(WordList.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a word of a message may mean in one language, and whether it can hardly be anything else."""

    language: str
    english: str
    sure: bool


class WordLists:
    """Word lists, one per language, the likeliest first; `english` are English words in lower case.

    `sounds` has the English words that people write by ear in another script, by what `sound_of` makes of that, and
    the sounds of the same `consonants_of`.
    """

    def __init__(self, languages: Mapping[str, WordList], english: Texts = NO_TEXTS, sounds: Texts = NO_TEXTS) -> None:
        self._languages = languages
        self._english = english
        self._sounds = sounds
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

    def by_ear(self, word: str) -> str | None:
        """Return the English word that one in a Brahmic or Arabic script sounds like; None where it is hardly one."""
        word = _FLAT_A.sub(lambda found: chr(ord(found[0]) - 1), unicodedata.normalize("NFKC", word))
        if not script_of(word[0]) or _FOREIGN.search(word):
            return None
        is_clear, sound = bool(_CLEAR.search(word)), sound_of(word)
        found = self._sounds.get(sound) or self._nearest(coarse(sound), _CLEAR_FLOOR if is_clear else _FLOOR)
        return None if found and "th" not in found and _DENTAL.search(word) and not is_clear else found

    def _nearest(self, sound: str, floor: float) -> str | None:
        """Return the word with the same consonants and the most similar vowels, if they are similar enough."""
        ends = consonants_of(sound)
        known = (self._sounds.get(ends) or "").split() if len(ends.replace("a", "")) > _FEWEST else []
        alike = {other: Levenshtein.ratio(sound, coarse(other)) for other in known}
        best = max(alike, key=lambda other: alike[other], default="")
        return self._sounds.get(best) if best and alike[best] > floor else None

    def _spelled(self, word: str) -> str:
        borrowed, readings = self.by_ear(word), self._possible(word)
        if not readings or not script_of(word[0]) or borrowed in readings[0].english.split():
            return borrowed or word
        # A list may spell a word as English does, too: गैस is "gas".
        english = readings[0].english.partition(" ")[0]
        is_listed = self._languages[readings[0].language].written.get(english) == readings[0].english
        return english if is_listed and consonants(word) == consonants(english) else word

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
        return None if word.isascii() else self.by_ear(word) or latin(word)

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
        is_english = not script and written in self._english
        if meaning := words.written.get(unicodedata.normalize("NFKC", word)) or words.written.get(written):
            return _Reading(language, meaning, sure=not is_english and (bool(script) or written not in words.doubtful))
        if is_english or (meaning := words.respelled.get(respell(word))) is None:
            return None
        return _Reading(language, meaning, sure=bool(script) or len(written) > _SHORT)


@cache
def glossary() -> WordLists:
    """Return the lists that come with Noted."""
    file = open_tables(KEPT)
    lists = {each: WordList(*(TextTable(file, f"{each} {table}") for table in TABLES)) for each in LANGUAGES}
    return WordLists(lists, TextTable(file, ENGLISH), TextTable(file, SOUNDS))


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


def script_of(letter: str) -> str:
    """Return the language whose script a letter is of; empty where it is of none of these."""
    return _LANGUAGES_OF_BLOCKS.get(ord(letter) // 0x80 * 0x80, "")


def sound_of(word: str) -> str:
    """Return the comparable spelling with sh kept apart from s, and no y that only bridges vowels."""
    return _GLIDE.sub("", _DIPHTHONG.sub("i", respell(latin(word).replace("sh", "x")).replace("x", "sh")))


def coarse(sound: str) -> str:
    """Return a sound without the differences that not every script writes."""
    return sound.replace("sh", "s").replace("ch", "c")


def consonants_of(sound: str) -> str:
    """Return the consonants of a sound, marked as such, and whether there is a vowel before and behind them."""
    before, behind = ("a" if end in _VOWELS else "" for end in (sound[:1], sound[-1:]))
    return f":{before}{sound.translate(_NO_VOWELS)}{behind}"


def consonants(word: str) -> str:
    """Return a word's comparable spelling without the vowels."""
    return respell(word).translate(_NO_VOWELS)
