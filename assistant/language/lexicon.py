"""What is known of English words: relations, read from one small file.

The file was made from WordNet, the CMU Pronouncing Dictionary and word frequencies (docs/decisions/0003);
their notices stand beside it. It holds no definition and no sentence of theirs.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import takewhile
from pathlib import Path

from assistant.language.text_table import TextTable, open_tables

LEXICON = Path(__file__).with_name("data") / "lexicon.marisa"
WORDS, PLACES, SPELLINGS, SPECIAL, RARE, SENSES = TABLES = (
    "words", "places", "spellings", "special", "rare", "senses",
)  # fmt: skip
"""Word to what is known of it, place by frequency to word, letters in order and general words to words, rare words,
word to its senses."""
_SHORTEST_SLIP, _ALIKE = 5, 0.85  # letters of a slip, and the share of them that its word has
RHYMES = LEXICON.with_name("rhymes.txt.gz")


@dataclass(frozen=True, slots=True)
class Word:
    """What is known of one word. In every list the usual and frequent word comes first."""

    text: str  # the word, lower case
    parts: str  # its parts of speech, the most usual first: n(oun), v(erb), a(djective), r (adverb)
    base: str  # the base form where this is only an inflected form (children: child), else empty
    synonyms: tuple[str, ...]  # words of the same meaning
    antonyms: tuple[str, ...]  # words of the opposite meaning
    general: str  # a more general word, or empty
    homophones: tuple[str, ...]  # words that sound the same
    near: str  # where there are none, one that sounds almost the same, or empty


@dataclass(frozen=True, slots=True)
class Sense:
    """One of the meanings of a word, by its relations. Each may be of several words."""

    part: str  # n(oun), v(erb), a(djective), r (adverb)
    synonyms: tuple[str, ...]
    general: str  # a more general word, or empty
    antonyms: tuple[str, ...]
    examples: tuple[str, ...]  # narrower words
    hints: tuple[str, ...]  # words that are used where it is explained

    @property
    def words(self) -> tuple[str, ...]:
        """All words by which it can be told from the others."""
        return tuple(filter(None, (self.general, *self.synonyms, *self.antonyms, *self.examples)))


class Lexicon:
    """The words, each read from the file when it is asked for; safe to share between threads."""

    def __init__(self, file: Path = LEXICON) -> None:
        tables = open_tables(file)
        self._words, self._places, self._spellings, self._special, self._rare, self._senses = (
            TextTable(tables, name) for name in TABLES
        )

    def find(self, text: str) -> Word | None:
        """What is known of a word, in whatever case it is written; None for an unknown word."""
        text = text.strip().lower()
        line = self._words.get(text)
        if line is None:
            return None
        parts, base, synonyms, antonyms, general, homophones, near = line.split("\t")
        lists = (tuple(words.split()) for words in (synonyms, antonyms, homophones))
        return Word(text, parts, base, next(lists), next(lists), general, next(lists), near)

    def senses(self, text: str) -> tuple[Sense, ...]:
        """Return the senses of a word, the most usual first; of an inflected form those of its base."""
        word = self.find(text)
        lines = (self._senses.get(word.base or word.text) or "") if word else ""
        return tuple(map(_sense, lines.splitlines()))

    def base_of(self, word: Word) -> Word:
        """The word whose relations count: that of the base form for an inflected form."""
        return (self.find(word.base) or word) if word.base else word

    def frequent(self, among: int) -> Iterator[Word]:
        """The `among` most frequent words, the most frequent first."""
        texts = takewhile(bool, (self._places.get(str(place)) for place in range(among)))
        return filter(None, (self.find(text) for text in texts if text))

    def spelled_with(self, letters: str) -> tuple[str, ...]:
        """The words made of exactly these letters, in any order, the frequent ones first."""
        return tuple((self._spellings.get(in_order(letters.lower())) or "").split())

    def special(self, text: str) -> tuple[str, ...]:
        """The frequent words of which this is the more general one, the most frequent first."""
        return tuple((self._special.get(text) or "").split())

    def nearest(self, text: str) -> str:
        """Return the word for which a text is a slip ("tomorow"), if its first letters are right; else nothing."""
        text = text.lower()
        if len(text) < _SHORTEST_SLIP or not (text.isascii() and text.isalpha()):
            return ""
        words = (word for word in self._words.starting(text[:2]) if abs(len(word) - len(text)) <= 1)
        near = get_close_matches(text, words, n=3, cutoff=_ALIKE)
        return max(near, key=lambda word: in_order(word) == in_order(text), default="")  # two letters are often swapped

    def is_rare(self, text: str) -> bool:
        """Whether it is a word in lower case of which nothing more is known, since hardly anybody uses it."""
        return text in self._rare


def _sense(line: str) -> Sense:
    part, *columns = line.split("\t")
    synonyms, general, antonyms, examples, hints = (tuple(filter(None, column.split(","))) for column in columns)
    return Sense(part, synonyms, "".join(general), antonyms, examples, hints)


def in_order(letters: str) -> str:
    """The letters from a to z."""
    return "".join(sorted(letters))


@cache
def lexicon() -> Lexicon:
    """The words of the package, one table for all that read them."""
    return Lexicon()


def rhyming(text: str) -> list[str]:
    """The frequent words that rhyme with a word, the frequent ones first."""
    word = text.lower()
    return [other for group in _rhymes().get(word, ()) for other in group if other != word]


@cache
def _rhymes() -> dict[str, list[list[str]]]:
    groups: dict[str, list[list[str]]] = {}
    for line in gzip.decompress(RHYMES.read_bytes()).decode().splitlines():
        for word in (group := line.split()):
            groups.setdefault(word, []).append(group)
    return groups
