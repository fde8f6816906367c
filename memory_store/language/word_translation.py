"""Translate mixed-language messages word by word to English, for an embedder that knows no other language.

"aspatal kahan hai" means nothing to it, but "hospital where is" is near to "where is the hospital". One file holds the
words; `python -m tools.lists.build_word_lists` makes it from the lists in `tools/lists/words`. English words stay. A
word that may be English is translated only beside words that are certainly of the other language. Pure.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from rapidfuzz import process
from rapidfuzz.distance import Indel

from assistant.language.lexicon import TextTable, open_tables
from memory_store.language.normalize import fold, respell, to_latin

FOLDER = Path(__file__).with_name("lists")
WORD_LISTS_FILE = FOLDER / "word_lists.marisa"
ENGLISH, SOUNDS = "english", "sounds"  # tables: English words, and their sounds as other scripts write them
LANGUAGES = ("hi", "pa", "es", "bn", "ta")  # if two fit equally well, the first is taken
# By Unicode block of 128 letters. Urdu shares the words of spoken Hindi.
_LANGUAGES_OF_BLOCKS = {0x0900: "hi", 0x0980: "bn", 0x0A00: "pa", 0x0B80: "ta", 0x0600: "hi", 0x0680: "hi"}
_READ_IN = {"pa": ("pa", "hi")}  # by script: further lists to search
WORD = re.compile(r"[^\W_]+(?:['’\u0900-\u0d7f\u200c\u200d]+[^\W_]*)*")
_LONGEST = 2_000  # characters
_CACHED = 4_096
_VOWELS = frozenset("aeiou")
_NO_VOWELS = str.maketrans("", "", "aeiouy")
_SHORT = 3  # letters; a shorter unlisted spelling is too ambiguous
_FLAT_A = re.compile("[\u0910\u0948\u0990\u09c8\u0a10\u0a48]")  # of bank, flat; sounds like the code point before it
# Letters that nearly only English words have; they allow a freer spelling.
_CLEAR = re.compile(
    "[\u091f\u0921\u0949\u0911\u0945\u090d\u099f\u09a1\u09c9\u0991\u09c5\u098d\u0a1f\u0a21\u0a49\u0a11\u0a45\u0a0dஸஜஷஃٹڈ]"
    "|[जफਜਫ][\u093c\u0a3c]|\u09cd\u09af\u09be|^ட|ட்(?!ட)|[கசபற]்$"
)
_FLOOR, _CLEAR_FLOOR = 0.88, 0.74  # lowest similarity of two sounds
_FEWEST = 3  # consonants; fewer are too ambiguous

Texts: TypeAlias = Mapping[str, str] | TextTable
NO_TEXTS: Texts = MappingProxyType({})


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

    `sounds` has two kinds of rows: from the sound (`sound_of`) of an English word in another script to the word, and
    from consonants (`consonants_of`) to all sounds with them.
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
        readings = self._read(word, self._languages) if word else ()
        return frozenset(reading.language for reading in readings if reading.sure)

    def english(self, text: str) -> str:
        """Return a text with the words of other languages in English; English texts are returned unchanged."""
        chosen = self._readings(WORD.findall(text[:_LONGEST]))
        if all(reading is None for reading in chosen):
            return text
        each = iter(chosen)
        read = WORD.sub(lambda found: found[0] if (reading := next(each)) is None else reading, text[:_LONGEST])
        return " ".join(f"{read}{text[_LONGEST:]}".split())

    def spelled(self, text: str) -> str:
        """Return a text with English words in another script spelled as in English: लाइट becomes "light".

        Text in Latin letters is unchanged: there, people spell such words as in English.
        """
        if text.isascii():
            return text
        return WORD.sub(lambda found: self._spelled(found[0]), text[:_LONGEST]) + text[_LONGEST:]

    def by_ear(self, word: str) -> str | None:
        """Return the English word that sounds like a word in a Brahmic or Arabic script, or None."""
        word = _FLAT_A.sub(lambda found: chr(ord(found[0]) - 1), unicodedata.normalize("NFKC", word))
        if not script_of(word[0]):
            return None
        sound = sound_of(word)
        if same := self._sounds.get(sound):
            return same
        sound, floor = simplify_sound(sound), _CLEAR_FLOOR if _CLEAR.search(word) else _FLOOR
        ends, alike = consonants_of(sound), Indel.normalized_similarity
        # The word with the same consonants and the most similar vowels.
        known = (self._sounds.get(ends) or "").split() if len(ends.replace("a", "")) > _FEWEST else []
        best = process.extractOne(sound, known, scorer=alike, processor=simplify_sound, score_cutoff=floor)
        return self._sounds.get(best[0]) if best else None

    def _spelled(self, word: str) -> str:
        borrowed, readings = self.by_ear(word), self._possible(word)
        if not readings or not script_of(word[0]) or borrowed in readings[0].english.split():
            return borrowed or word
        # A list may give the English spelling, too: गैस is "gas".
        english = readings[0].english.partition(" ")[0]
        is_same = respell(word).translate(_NO_VOWELS) == respell(english).translate(_NO_VOWELS)
        return english if is_same else word

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
            word = words[place]
            by_sound = None if best or word.isascii() else self.by_ear(word) or to_latin(word)
            chosen.append(best.english if best else by_sound)
        return chosen

    def _find_possible(self, word: str) -> Sequence[_Reading]:
        script = script_of(word[0])
        found = self._read(word, _READ_IN.get(script, (script,) if script else tuple(self._languages)))
        return found[:1] if script else found

    def _read(self, word: str, languages: Iterable[str]) -> list[_Reading]:
        """Return the readings of a word by the lists of these languages: as written, else by a similar spelling."""
        script, written, found = script_of(word[0]), to_latin(word), list[_Reading]()
        spellings = dict.fromkeys((unicodedata.normalize("NFKC", word), written))
        is_english = not script and written in self._english
        for words, language in ((self._languages[each], each) for each in languages if each in self._languages):
            if meaning := next(filter(None, map(words.written.get, spellings)), None):
                is_sure = not is_english and (bool(script) or written not in words.doubtful)
                found.append(_Reading(language, meaning, is_sure))
            elif not is_english and (meaning := words.respelled.get(respell(word))):
                found.append(_Reading(language, meaning, sure=bool(script) or len(written) > _SHORT))
        return found


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
def fold_for_comparison(text: str) -> str:
    """Return a text folded, with its English words spelled as in English."""
    return fold(glossary().spelled(text))


def script_of(letter: str) -> str:
    """Return the language of a letter's script; empty for other scripts."""
    return _LANGUAGES_OF_BLOCKS.get(ord(letter) // 0x80 * 0x80, "")


def sound_of(word: str) -> str:
    """Return the comparable spelling (`respell`) of a word, but keep sh and s apart."""
    return respell(to_latin(word).replace("sh", "x")).replace("x", "sh")


def simplify_sound(sound: str) -> str:
    """Return a sound without distinctions that some scripts do not write."""
    return sound.replace("sh", "s").replace("ch", "c")


def consonants_of(sound: str) -> str:
    """Return the consonants of a sound, with "a" for a vowel at its start or end."""
    before, behind = ("a" if end in _VOWELS else "" for end in (sound[:1], sound[-1:]))
    return f":{before}{sound.translate(_NO_VOWELS)}{behind}"
