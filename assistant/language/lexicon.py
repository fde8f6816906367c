"""What is known of English words: relations, read from one small file.

The file is made by `tools/lists/build_lexicon.py` from WordNet, the CMU Pronouncing Dictionary and word frequencies;
their notices stand beside it. It holds no definition and no sentence of theirs. A list of rarer words stands beside it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path

LEXICON = Path(__file__).with_name("data") / "lexicon.tsv.gz"
RARE_WORDS = LEXICON.with_name("rare_words.txt.gz")
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


class Lexicon:
    """The words. Loaded on first use, each read from its line when it is asked for; safe to share between threads."""

    def find(self, text: str) -> Word | None:
        """What is known of a word, in whatever case it is written; None for an unknown word."""
        text = text.strip().lower()
        line = self._lines.get(text)
        if line is None:
            return None
        parts, base, synonyms, antonyms, general, homophones, near = line.split("\t")
        lists = (tuple(words.split()) for words in (synonyms, antonyms, homophones))
        return Word(text, parts, base, next(lists), next(lists), general, next(lists), near)

    def base_of(self, word: Word) -> Word:
        """The word whose relations count: that of the base form for an inflected form."""
        return (self.find(word.base) or word) if word.base else word

    def frequent(self, among: int) -> Iterator[Word]:
        """The `among` most frequent words, the most frequent first."""
        return filter(None, map(self.find, islice(self._lines, among)))

    def spelled_with(self, letters: str) -> tuple[str, ...]:
        """The words made of exactly these letters, in any order, the frequent ones first."""
        return self._anagrams.get("".join(sorted(letters.lower())), ())

    @cached_property
    def _lines(self) -> dict[str, str]:
        lines = gzip.decompress(LEXICON.read_bytes()).decode().splitlines()
        return {word: rest for word, _, rest in (line.partition("\t") for line in lines)}

    @cached_property
    def _anagrams(self) -> dict[str, tuple[str, ...]]:
        groups: dict[str, list[str]] = {}
        for text in self._lines:
            groups.setdefault("".join(sorted(text)), []).append(text)
        return {letters: tuple(words) for letters, words in groups.items()}


@cache
def rare_words() -> frozenset[str]:
    """English words that are too rare for the lexicon: nothing is known of them but that they are words."""
    return frozenset(gzip.decompress(RARE_WORDS.read_bytes()).decode().splitlines())


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
