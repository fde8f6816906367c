"""Lexicon of English words and their relations, from one small file.

The file was made from WordNet, the CMU Pronouncing Dictionary and word frequencies (docs/decisions/0003); their notices
are next to it. It contains none of their definitions and sentences.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path

from assistant.language.text_table import TextTable, open_tables

LEXICON = Path(__file__).with_name("data") / "lexicon.marisa"
WORDS, PLACES, SPELLINGS, SPECIAL, RARE, SENSES = TABLES = (
    "words", "places", "spellings", "special", "rare", "senses",
)  # fmt: skip
"""Tables: word to record, frequency rank to word, sorted letters to words, general word to words, rare words, word to
senses."""
_COMMON = 20_000  # most frequent words, which people use
_SHORTEST_SLIP, _ALIKE = 5, 0.85  # minimum letters of a misspelling, and similarity to its word
RHYMES = LEXICON.with_name("rhymes.txt.gz")


@dataclass(frozen=True, slots=True)
class LexiconWord:
    """The record of one word. Lists start with the most common word."""

    text: str  # in lower case
    parts: str  # parts of speech, most common first: n(oun), v(erb), a(djective), r (adverb)
    base: str  # the base form of a purely inflected form (children: child), else empty
    synonyms: tuple[str, ...]
    antonyms: tuple[str, ...]
    general: str  # a hypernym, or empty
    homophones: tuple[str, ...]
    near: str  # without homophones, a word with a similar sound, or empty


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a word, by its relations to words and phrases."""

    part: str  # n(oun), v(erb), a(djective), r (adverb)
    synonyms: tuple[str, ...]
    general: str  # a hypernym, or empty
    antonyms: tuple[str, ...]
    examples: tuple[str, ...]  # hyponyms
    hints: tuple[str, ...]  # words of its definition

    @property
    def words(self) -> tuple[str, ...]:
        """Return all words that distinguish it from other senses."""
        return tuple(filter(None, (self.general, *self.synonyms, *self.antonyms, *self.examples)))


class Lexicon:
    """Lexicon that reads each word from the file on demand. Thread-safe."""

    def __init__(self, file: Path = LEXICON) -> None:
        tables = open_tables(file)
        self._words, self._places, self._spellings, self._special, self._rare, self._senses = (
            TextTable(tables, name) for name in TABLES
        )

    def find(self, text: str) -> LexiconWord | None:
        """Look up a word, ignoring case; None for an unknown word."""
        text = text.strip().lower()
        line = self._words.get(text)
        if line is None:
            return None
        parts, base, synonyms, antonyms, general, homophones, near = line.split("\t")
        lists = (tuple(words.split()) for words in (synonyms, antonyms, homophones))
        return LexiconWord(text, parts, base, next(lists), next(lists), general, next(lists), near)

    def senses(self, text: str) -> tuple[Sense, ...]:
        """Return the senses of a word, most common first; for an inflected form those of its base.

        Those of a noun come first if a word has more of them than of a verb: "crane" is a bird before it is to stretch.
        """
        word = self.find(text)
        lines = (self._senses.get(word.base or word.text) or "") if word else ""
        senses = tuple(map(_sense, lines.splitlines()))
        parts = [sense.part for sense in senses]
        is_noun = parts[:1] == ["v"] and parts.count("n") > parts.count("v")
        return tuple(sorted(senses, key=lambda sense: sense.part != "n")) if is_noun else senses

    def base_of(self, word: LexiconWord) -> LexiconWord:
        """Return the base form of an inflected form, else the word itself."""
        return (self.find(word.base) or word) if word.base else word

    def frequent(self, among: int) -> Iterator[LexiconWord]:
        """Yield the `among` most frequent words, most frequent first."""
        texts = takewhile(bool, (self._places.get(str(place)) for place in range(among)))
        return filter(None, (self.find(text) for text in texts if text))

    @cached_property
    def _common(self) -> frozenset[str]:
        return frozenset(filter(None, (self._places.get(str(place)) for place in range(_COMMON))))

    def is_common(self, phrase: str) -> bool:
        """Return True if people use all words of a phrase."""
        return self._common.issuperset(re.findall("[a-z]+", phrase.lower()))

    def spelled_with(self, letters: str) -> tuple[str, ...]:
        """Return the anagrams of these letters, most frequent first."""
        return tuple((self._spellings.get(sort_letters(letters.lower())) or "").split())

    def special(self, text: str) -> tuple[str, ...]:
        """Return the frequent hyponyms of a word, most frequent first."""
        return tuple((self._special.get(text) or "").split())

    def nearest(self, text: str) -> str:
        """Correct a misspelled word ("tomorow") whose first two letters are right; empty if there is none."""
        text = text.lower()
        if len(text) < _SHORTEST_SLIP or not (text.isascii() and text.isalpha()):
            return ""
        words = (word for word in self._words.starting(text[:2]) if abs(len(word) - len(text)) <= 1)
        near = get_close_matches(text, words, n=3, cutoff=_ALIKE)
        return max(
            near, key=lambda word: sort_letters(word) == sort_letters(text), default=""
        )  # prefer swapped letters

    def is_rare(self, text: str) -> bool:
        """Return True if it is a rare word (in lower case) without a record."""
        return text in self._rare


def _sense(line: str) -> Sense:
    part, *columns = line.split("\t")
    synonyms, general, antonyms, examples, hints = (tuple(filter(None, column.split(","))) for column in columns)
    return Sense(part, synonyms, "".join(general), antonyms, examples, hints)


def sort_letters(letters: str) -> str:
    return "".join(sorted(letters))


@cache
def lexicon() -> Lexicon:
    """Return the shared lexicon of the package."""
    return Lexicon()


def find_rhymes(text: str) -> list[str]:
    """Return the frequent words that rhyme with a word, most frequent first."""
    word = text.lower()
    return [other for group in _rhymes().get(word, ()) for other in group if other != word]


@cache
def _rhymes() -> dict[str, list[list[str]]]:
    groups: dict[str, list[list[str]]] = {}
    for line in gzip.decompress(RHYMES.read_bytes()).decode().splitlines():
        for word in (group := line.split()):
            groups.setdefault(word, []).append(group)
    return groups
