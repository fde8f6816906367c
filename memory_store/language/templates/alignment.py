"""How alike two rows of words are, by their cheapest alignment; one row may hold slots. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import add
from typing import NamedTuple, TypeVar

from rapidfuzz.distance import OSA

from memory_store.function_words import WordKind, function_words
from memory_store.surface import SLOT

Word = TypeVar("Word")
LONGEST_FRAME = 32  # words; a longer text has no frame
LONGEST_SLOT = 3  # words

# What one difference costs; the similarity is exp(-sum of costs). One missing word that matters brings it to 0.22.
_COST = {
    WordKind.NEGATION: 2.0,
    WordKind.ASKING: 1.5,
    WordKind.CONTENT: 1.5,
    WordKind.SLOT: 1.5,
    WordKind.COMMON: 0.9,
    WordKind.LINK: 0.4,
    WordKind.PERSON: 0.3,
    WordKind.QUESTION: 0.12,
    WordKind.REQUEST: 0.04,
    WordKind.LIGHT: 0.04,
}
_CLASH = 1.2  # two question words, persons or links that do not mean the same
_RESPELLED = 0.1
_RESPELLED_SHORT = 0.25  # a word of three letters, which may well be another word
_EQUIVALENT = 0.02
# A slot may hold such a word, at this cost, and so many words of content.
_SLOT_HOLDS = {
    WordKind.SLOT: 0.0,
    WordKind.CONTENT: 0.0,
    WordKind.ASKING: 0.05,
    WordKind.COMMON: 0.1,
    WordKind.LIGHT: 0.6,
}
_CONTENT_IN_SLOT = (0.0, 0.0, 0.15, 0.5)
# Such words are what is asked about only where nothing else is.
_ALONE_IN_SLOT = {WordKind.LIGHT: 0.15, WordKind.LINK: 0.3}
_ANY_IN_SLOT = 0.15  # where all the rest is the same
_BESIDE = 0.1  # then one word more in front or behind says little, whatever it is, but for these: "sir", "next", "asap"
_SAYS_MORE = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.PERSON, WordKind.QUESTION, WordKind.LINK})
_VOWELS = re.compile("[aeiou]")
_REQUEST = re.compile("([a-z]{3,}?)(?:o|ie|na|en|e|io|ia)")


class Alignment(NamedTuple):
    """How two rows of words go together.

    Args:
        likeness: in [0, 1].
        filler: the words that the slot holds. Empty where there is no slot, or nothing in it.
        before: the word in front of them, or empty.
        asked: the new question without them.
        known: what it was compared with, without its slots.
        missing: how many words of that matter and have no partner. Where there are any, nothing else is aligned.
    """

    likeness: float
    filler: tuple[str, ...] = ()
    before: str = ""
    asked: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    missing: int = 0


class _Path(NamedTuple):
    """A way to align the beginnings of two rows: its cost, the words without a partner, the places of the filler."""

    cost: float = 0.0
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    filled: tuple[int, ...] = ()

    def dropping(self, word: str) -> _Path:
        return _Path(self.cost + _cost(word), (*self.left, word), self.right, self.filled)

    def adding(self, word: str) -> _Path:
        return _Path(self.cost + _cost(word), self.left, (*self.right, word), self.filled)

    def costing(self, more: float) -> _Path:
        return _Path(self.cost + more, self.left, self.right, self.filled)

    def filling(self, more: float, places: Iterable[int]) -> _Path:
        return _Path(self.cost + more, self.left, self.right, (*self.filled, *places))


@lru_cache(maxsize=16_384)
def align(asked: tuple[str, ...], known: tuple[str, ...]) -> Alignment:
    """The cheapest alignment of two rows of folded words (Needleman and Wunsch, 1970).

    Args:
        asked: the new question.
        known: what it is compared with; a slot in it stands for up to `LONGEST_SLOT` words.
    """
    if not asked or not known or max(len(asked), len(known)) > LONGEST_FRAME:
        return Alignment(0.0)
    if (exact := _all_but_slot(asked, known)) is not None:
        return exact
    asked, known = _join_split_words(asked, known), _join_split_words(known, asked)
    if missing := _without_partner(asked, known):
        return Alignment(math.exp(-sum(map(_cost, missing))), missing=len(missing))
    row = [_Path()]
    for word in asked:
        row.append(row[-1].adding(word))
    for expected in known:
        row = _next_row(row, expected, asked)
    best = row[-1]
    return Alignment(
        math.exp(-best.cost - _CLASH * function_words().clashes(best.left, best.right)),
        tuple(asked[place] for place in best.filled),
        asked[best.filled[0] - 1] if best.filled and best.filled[0] else "",
        tuple(word for place, word in enumerate(asked) if place not in best.filled),
        tuple(word for word in known if word != SLOT),
    )


def _all_but_slot(asked: tuple[str, ...], known: tuple[str, ...]) -> Alignment | None:
    """The alignment of two rows that are the same but for one slot, which then holds nearly any word, but nobody."""
    around, whole = len(asked) - len(known), asked
    asked = without_ends(asked, len(known), lambda word: _kind(word) is WordKind.LIGHT)
    beside = len(asked) == len(known) + 1
    asked = _without_one_beside(asked, known) if beside else asked
    if known.count(SLOT) != 1 or len(asked) != len(known) or len(known) == 1:
        return None
    at = known.index(SLOT)
    rest = (*asked[:at], *asked[at + 1 :])
    if rest != (*known[:at], *known[at + 1 :]) or function_words().is_somebody(asked[at], rest[at : at + 1]):
        return None
    kind = _kind(asked[at])
    cost = min(_SLOT_HOLDS.get(kind, _ANY_IN_SLOT), _ALONE_IN_SLOT.get(kind, _ANY_IN_SLOT))
    cost += _BESIDE * beside + (around - beside) * _COST[WordKind.LIGHT]
    left_out = next(first for first in range(len(whole)) if whole[first : first + len(asked)] == asked)
    before = whole[left_out + at - 1] if left_out + at else ""
    return Alignment(math.exp(-cost), (asked[at],), before, rest, rest)


def _without_one_beside(asked: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """The words without the first or the last, if that says little and is no neighbour of the slot, whose it may be."""
    first, *_, last = asked
    if known[0] == asked[1] and _kind(first) not in _SAYS_MORE:
        return asked[1:]
    return asked[:-1] if known[-1] == asked[-2] and _kind(last) not in _SAYS_MORE else asked


def without_ends(words: tuple[Word, ...], length: int, says_little: Callable[[Word], bool]) -> tuple[Word, ...]:
    """The words without those at either end that say little, as long as there are more than `length`."""
    first, last = 0, len(words)
    while last - first > length and says_little(words[first]):
        first += 1
    while last - first > length and says_little(words[last - 1]):
        last -= 1
    return words[first:last]


def _join_split_words(words: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Two words become one where the other row has them as one: flip side, flipside."""
    if _neighbours(words).isdisjoint(other):
        return words
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] + word in other and SLOT not in (joined[-1], word):
            joined[-1] += word
        else:
            joined.append(word)
    return tuple(joined)


@lru_cache(maxsize=16_384)
def _neighbours(words: tuple[str, ...]) -> frozenset[str]:
    """Each two words that stand side by side, as one."""
    return frozenset(map(add, words, words[1:]))


def _next_row(above: Sequence[_Path], expected: str, asked: Sequence[str]) -> list[_Path]:
    row = [above[0].dropping(expected)]
    for column, word in enumerate(asked):
        upper, left, diagonal = above[column + 1], row[column], above[column]
        drops = upper.cost + _cost(expected) <= left.cost + _cost(word)
        best = upper.dropping(expected) if drops else left.adding(word)
        if expected == SLOT:
            best = min((best, *_filled(above, asked, column)), key=_by_cost)
        elif (changed := _change(expected, word)) is not None and diagonal.cost + changed < best.cost:
            best = diagonal.costing(changed)
        row.append(best)
    return row


def _by_cost(path: _Path) -> float:
    return path.cost


def _filled(above: Sequence[_Path], asked: Sequence[str], last: int) -> Iterator[_Path]:
    """The slot holds the word at `last`, and perhaps some before it."""
    if (alone := _ALONE_IN_SLOT.get(_kind(asked[last]))) is not None:
        yield above[last].filling(alone, [last])
    cost, content = 0.0, 0
    for first in range(last, max(-1, last - LONGEST_SLOT), -1):
        kind = _kind(asked[first])
        if kind not in _SLOT_HOLDS:
            return
        cost += _SLOT_HOLDS[kind]
        content += kind is WordKind.CONTENT
        yield above[first].filling(cost + _CONTENT_IN_SLOT[content], range(first, last + 1))


def _without_partner(asked: tuple[str, ...], known: tuple[str, ...]) -> list[str]:
    """Those words of `known` that matter and have no partner anywhere in `asked`. Most keys end here."""
    return [word for word in _telling(known) if word not in asked and not _has_partner(word, asked)]


@lru_cache(maxsize=16_384)
def _telling(words: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the words that matter."""
    return tuple(word for word in words if word != SLOT and _cost(word) >= _COST[WordKind.CONTENT])


def _has_partner(expected: str, asked: tuple[str, ...]) -> bool:
    """Whether the word may be read as one of the others: of one group with it, or with the same first letter."""
    if not _groups(asked).isdisjoint(function_words().groups(expected)):
        return True
    alike = _by_first_letter(asked).get(expected[0], ())
    return any(_change(expected, word) is not None for word in alike)


@lru_cache(maxsize=16_384)
def _groups(words: tuple[str, ...]) -> frozenset[tuple[WordKind, str]]:
    return frozenset().union(*map(function_words().groups, words))


@lru_cache(maxsize=16_384)
def _by_first_letter(words: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[0], []).append(word)
    return found


@lru_cache(maxsize=65_536)
def _change(expected: str, word: str) -> float | None:
    """What it costs to read one word as the other; None where they are different words."""
    if expected == word:
        return 0.0
    if function_words().groups(expected) & function_words().groups(word):
        return _EQUIVALENT
    both_known = WordKind.CONTENT not in (_kind(expected), _kind(word))
    if both_known or not _is_respelled(expected, word):
        return None
    return _RESPELLED if min(len(expected), len(word)) > 3 else _RESPELLED_SHORT


def _is_respelled(first: str, second: str) -> bool:
    """Vowels left out, or a slip or two. The first letter stays: legal and illegal are two words."""
    shorter, longer = sorted((first, second), key=len)
    if shorter[0] != longer[0] or len(shorter) < 3 or len(longer) < 4 or not (first + second).isalpha():
        return False
    consonants = _VOWELS.sub("", shorter)
    if (stem := _stem(first)) and stem == _stem(second):
        return True
    if len(consonants) >= 3 and consonants == _VOWELS.sub("", longer) and _is_within(shorter, longer):
        return True
    allowed = 1 if len(shorter) < 10 else 2
    return OSA.distance(first, second, score_cutoff=allowed) <= allowed


def _stem(word: str) -> str:
    """Of a word that looks like a request in Hindi or Punjabi, what all its forms share: likho, likhie, likhna."""
    found = _REQUEST.fullmatch(word)
    return found[1] if found else ""


def _is_within(shorter: str, longer: str) -> bool:
    letters = iter(longer)
    return all(letter in letters for letter in shorter)


@lru_cache(maxsize=65_536)
def _kind(word: str) -> WordKind:
    return function_words().kind(word)


@lru_cache(maxsize=65_536)
def _cost(word: str) -> float:
    return _COST[_kind(word)]
