"""Lexicon of English words and their relations, from one small file.

The file was made from WordNet, the CMU Pronouncing Dictionary and word frequencies (docs/decisions/0003); their notices
are next to it. It contains none of their definitions and sentences. A file of tables is a memory-mapped trie: it opens
at once, reads only accessed parts, and needs a tenth of the memory of dictionaries.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path

from marisa_trie import BytesTrie

_FILE = Path(__file__).with_name("data") / "lexicon.marisa"
_COMMON = 20_000  # most frequent words, which people use
_SHORTEST_SLIP = 5  # minimum letters of a misspelling
_ALIKE, _SWAPPED = 0.85, 0.8  # minimum similarity of a misspelling to its word; to one of the same letters
_ENDS = "\t"  # separates the name of a table from its keys; a file has several tables


class TextTable:
    """Read-only mapping of texts to texts: one table of a file. Thread-safe."""

    def __init__(self, file: BytesTrie, name: str) -> None:
        self._file, self._start = file, f"{name}{_ENDS}"

    def get(self, text: str) -> str | None:
        """Look up a text; None if it is missing."""
        try:
            # A trie takes NUL for the end of the key; a lone surrogate is in no table.
            found = None if "\0" in text else self._file.get(f"{self._start}{text}")
        except UnicodeEncodeError:
            return None
        return str(found[0], "utf-8") if found else None

    def starting(self, text: str) -> list[str]:
        """Return the keys of this table with a prefix in Latin letters."""
        return [found.removeprefix(self._start) for found in self._file.keys(f"{self._start}{text}")]

    def __contains__(self, text: object) -> bool:
        return self.get(str(text)) is not None


def open_tables(file: Path) -> BytesTrie:
    """Open a file of tables. Raises RuntimeError if it is missing or invalid."""
    return BytesTrie().mmap(str(file))


def save_tables(file: Path, tables: Mapping[str, Mapping[str, str]]) -> None:
    """Replace a file by tables, by name, without NUL in a key; processes with the old file open can still read it."""
    rows = [(f"{name}{_ENDS}{text}", told.encode()) for name, table in tables.items() for text, told in table.items()]
    made = file.with_suffix(".part")
    BytesTrie(rows).save(str(made))
    made.replace(file)


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

    def __init__(self) -> None:
        tables = open_tables(_FILE)
        # Words to their records, frequency ranks to words, rare words, and words to senses.
        names = ("words", "places", "rare", "senses")
        self._words, self._places, self._rare, self._senses = (TextTable(tables, name) for name in names)

    def find(self, text: str) -> LexiconWord | None:
        """Look up a word, ignoring case; None for an unknown word."""
        text = text.strip().lower()
        line = self._words.get(text)
        if line is None:
            return None
        parts, base, synonyms, antonyms, general, homophones = line.split("\t")
        lists = [tuple(words.split()) for words in (synonyms, antonyms, homophones)]
        return LexiconWord(text, parts, base, lists[0], lists[1], general, lists[2])

    def base_of(self, word: LexiconWord) -> LexiconWord:
        """Return the base form of an inflected form, else the word itself."""
        return (self.find(word.base) or word) if word.base else word

    def senses(self, text: str) -> tuple[Sense, ...]:
        """Return the senses of a word, most common first; for an inflected form those of its base.

        Those of a noun come first if a word has more of them than of a verb: "crane" is a bird before it is to stretch.
        """
        word = self.find(text)
        senses = list[Sense]()
        for line in ((self._senses.get(word.base or word.text) or "") if word else "").splitlines():
            part, *columns = line.split("\t")
            synonyms, general, *others = (tuple(filter(None, column.split(","))) for column in columns)
            senses.append(Sense(part, synonyms, "".join(general), *others))
        parts = [sense.part for sense in senses]
        if parts[:1] == ["v"] and parts.count("n") > parts.count("v"):
            senses.sort(key=lambda sense: sense.part != "n")
        return tuple(senses)

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

    def is_rare(self, text: str) -> bool:
        """Return True if it is a rare word (in lower case) without a record."""
        return text in self._rare

    def nearest(self, text: str) -> str:
        """Correct a misspelled word ("tomorow") whose first two letters are right; empty if there is none."""
        text = text.lower()
        if len(text) < _SHORTEST_SLIP or not (text.isascii() and text.isalpha()):
            return ""
        words = (word for word in self._words.starting(text[:2]) if abs(len(word) - len(text)) <= 1)
        near = get_close_matches(text, words, n=3, cutoff=_SWAPPED)
        # Swapped letters are a likelier slip than other ones.
        swapped = [word for word in near if sorted(word) == sorted(text)]
        return next(iter(swapped or get_close_matches(text, near, n=1, cutoff=_ALIKE)), "")


@cache
def lexicon() -> Lexicon:
    """Return the shared lexicon of the package."""
    return Lexicon()


def find_rhymes(text: str) -> list[str]:
    """Return the frequent words that rhyme with a word, most frequent first."""
    word = text.lower()
    return [other for group in _rhymes() if word in group for other in group if other != word]


@cache
def _rhymes() -> list[list[str]]:
    lines = gzip.decompress(_FILE.with_name("rhymes.txt.gz").read_bytes()).decode().splitlines()
    return [line.split() for line in lines]
