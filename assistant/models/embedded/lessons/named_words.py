"""Which words a question names for something to be done with each, and which number it says with each.

    Splice the 5th letter of "sleep" and the 2nd letter of "official".     sleep 5, official 2

A word stands behind its number, or before it, and beside the same words each time: of the ways to put them together,
those come first in which they stand most alike, or are said to have letters ("sleep's 5th letter").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product

from assistant.language.arguments import numbers_in
from assistant.language.asked_word import marked_words, words_in
from assistant.language.languages import Languages

_FEWEST = 2
_MOST_TRIED = 256
_MOST_NUMBERS = 8
_NAME = re.compile(r"(?<=[^.?!:\W] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)+")  # two words or more that begin large
_CONTENT = frozenset({"content", "common"})

NamedWord = tuple[str, int]
"""A word and its number; 0 where there is none."""


@dataclass(frozen=True, slots=True)
class NamedWords:
    """Finds them."""

    languages: Languages

    def __call__(self, question: str) -> list[tuple[NamedWord, ...]]:
        """The ways to take the words of a question with their numbers, the likeliest first."""
        written = [word.replace("’", "'") for word in words_in(question)]
        words = [word.removesuffix("'s") for word in written]
        numbers = [(at, number) for at, word in enumerate(words) if (number := _number(word))]
        marked = marked_words(question)
        if len(numbers) < _FEWEST and len(marked) >= _FEWEST:
            return [tuple((word, numbers[0][1] if numbers else 0) for word in marked)]
        if not _FEWEST <= len(numbers) <= _MOST_NUMBERS:
            return []
        fit = [at for at, word in enumerate(words) if (word in marked if marked else self._may_be_named(word))]
        places = [at for at, _ in numbers]
        ends = [(first, last) for first, last in pairwise((*places, len(words)))]
        begins = [(first, last) for first, last in pairwise((-1, *places))]
        ways = [way for spans in (ends, begins) for way in _ways(words, numbers, spans, fit)]
        ways.sort(key=lambda way: -_alike(words, places, way) - sum(words[at] != written[at] for at in way))
        return [tuple((words[at], number) for at, (_, number) in zip(way, numbers, strict=True)) for way in ways]

    def of_phrase(self, question: str) -> list[tuple[NamedWord, ...]]:
        """The words of the one phrase that a question marks, or writes as a name, with the one number that it says."""
        phrases = marked_words(question) or [found[0] for found in _NAME.finditer(question)]
        if len(phrases) != 1 or not _FEWEST <= len(named := words_in(phrases[0])) <= _MOST_NUMBERS:
            return []
        rest = words_in(question.replace(phrases[0], " "))
        numbers = [number for word in rest if (number := _number(word))]
        return [tuple((word, numbers[0] if numbers else 0) for word in named)] if len(numbers) < _FEWEST else []

    def _may_be_named(self, word: str) -> bool:
        return (
            word.isalpha() and not _number(word) and {str(each.kind) for each in self.languages.words(word)} <= _CONTENT
        )


def _ways(
    words: Sequence[str], numbers: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]], fit: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """One word from each span, as long as its number, and none that stands in two of them."""
    spread = Counter(word for first, last in spans for word in {word.lower() for word in words[first + 1 : last]})
    found = [
        [at for at in fit if first < at < last and spread[words[at].lower()] == 1 and len(words[at]) >= abs(number)]
        for (first, last), (_, number) in zip(spans, numbers, strict=True)
    ]
    yield from islice(product(*found), _MOST_TRIED)


def _alike(words: Sequence[str], places: Sequence[int], way: Sequence[int]) -> int:
    """How alike the named words stand: as far from their numbers, and behind the same word."""
    apart = Counter(at - place for at, place in zip(way, places, strict=True))
    before = Counter(words[at - 1].lower() for at in way if at)
    return max(apart.values()) + max(before.values(), default=0)


def _number(word: str) -> int:
    places, count = numbers_in(word)
    return places[0] if places else count
