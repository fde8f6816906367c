"""Two rows of words side by side: what both have in the same order, and the gaps between, where they differ. Pure."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA, LCSseq

from assistant.language.asked_word import LONGEST_SLOT
from memory_store.language.function_words import TextWord, WordKind, function_words, words_of, written_words
from memory_store.language.normalize import SLOT

LONGEST_TEXT = 500  # characters; a longer one is no short question with one word asked about
LONGEST_FRAME = 32  # words; a longer text has no frame

# What a word without a partner costs; the similarity is exp(-sum of costs). One that matters brings it to 0.22.
_COST = {
    WordKind.NEGATION: 1.5,
    WordKind.ASKING: 1.5,
    WordKind.CONTENT: 1.5,
    WordKind.SLOT: 1.5,
    WordKind.COMMON: 0.9,
    WordKind.LINK: 0.4,
    WordKind.PERSON: 0.4,
    WordKind.QUESTION: 0.1,
    WordKind.REQUEST: 0.05,
    WordKind.LIGHT: 0.05,
}
_CLASH = 1.2  # two question words, persons or links that do not mean the same
_TYPO = 0.05
A_WORD = (WordKind.ASKING, "word")  # in "the word quick" it says nothing
_FURTHER_IN_SLOT = 0.15  # each word after the first that a slot holds
_CHATTER = 0.05  # a word in front of a question, or behind it
_LONGEST_CHATTER = 4  # words
MATTERS = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.CONTENT})
_CLASHING = frozenset({WordKind.QUESTION, WordKind.PERSON, WordKind.LINK})
_CHANGES_IT = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.QUESTION})
_ASKED_ABOUT = frozenset({WordKind.CONTENT, WordKind.COMMON, WordKind.SLOT})
_MAY_BE_ASKED_ABOUT = frozenset({WordKind.ASKING, WordKind.NEGATION})
_MAY_BE_TYPOS = frozenset({WordKind.CONTENT, WordKind.COMMON})

_SHORTEST_WITH_TYPO = 4  # letters of the longer word; three are soon another word
_LONG_WORD = 8  # letters from which two slips leave a word readable
_VOWELS = re.compile("[aeiou]")
_CONSONANTS = 3  # fewer say little
_REQUEST = re.compile("([a-z]{3,}?)(?:iye|ie|o|na|en|e|io|ia)")  # in Hindi or Punjabi


class Gap(NamedTuple):
    """A place where two rows of words differ: the words of each there."""

    asked: tuple[TextWord, ...]
    known: tuple[TextWord, ...]
    place: int  # where they begin in the known row
    is_outermost: bool  # both rows begin or end here


class Alignment(NamedTuple):
    """How two rows of words go together."""

    similarity: float  # in [0, 1]
    filler: tuple[TextWord, ...] = ()  # the words that the slot holds, if there is one
    gaps: tuple[Gap, ...] = ()  # not given where too many words that matter are missing
    typos: int = 0  # words that were read as others


class _Known(NamedTuple):
    """A text that questions are compared with: its words, those that matter, and all by group."""

    words: tuple[TextWord, ...]
    names: tuple[str, ...]
    telling: tuple[TextWord, ...]
    by_group: Mapping[object, str]
    has_slot: bool


@lru_cache(maxsize=16_384)
def align(question: str, key: str) -> Alignment:
    """Compare a question with a key, in which a slot stands for up to `LONGEST_SLOT` words."""
    if not 0 < len(written_words(question)) <= LONGEST_FRAME or not 0 < len(written_words(key)) <= LONGEST_FRAME:
        return Alignment(0.0)
    asked, typos = _mended(question, key)
    known = _known(key)
    names = [_name(word, known) for word in asked]
    missing = sum(word.folded not in names for word in known.telling)
    if missing > LONGEST_SLOT:
        return Alignment(math.exp(-missing * _COST[WordKind.CONTENT]))
    gaps = tuple(_gaps(asked, names, known))
    filler: tuple[TextWord, ...] = ()
    inserted: list[TextWord] = []
    missed: list[TextWord] = []
    around = 0
    for gap in gaps:
        more, expected = gap.asked, gap.known
        if SLOT in (word.folded for word in expected):
            filler = _filler(gap.asked)
            more = tuple(word for word in more if word not in filler and A_WORD not in word.groups)
            expected = tuple(word for word in expected if not filler or word.folded != SLOT)
        if known.has_slot and gap.is_outermost and more and not gap.known and _is_chatter(gap):
            around += len(more)
        else:
            inserted += more
        missed += expected
    cost = sum(_COST[word.kind] for word in (*inserted, *missed))
    cost += _CLASH * len(_clashing(inserted) & _clashing(missed))
    cost += _CHATTER * around + _TYPO * typos + _FURTHER_IN_SLOT * max(0, len(filler) - 1)
    return Alignment(math.exp(-cost), filler, gaps, typos)


def _filler(words: Sequence[TextWord]) -> tuple[TextWord, ...]:
    """What a slot holds of the words in its place: what can be asked about, or any one word but a person."""
    about = [place for place, word in enumerate(words) if word.kind in _ASKED_ABOUT]
    about = about or [place for place, word in enumerate(words) if word.kind in _MAY_BE_ASKED_ABOUT]
    if not about:
        return tuple(words) if len(words) == 1 and words[0].kind is not WordKind.PERSON else ()
    is_somebodys = any(word.kind is WordKind.PERSON for word in words[: about[0]][-1:])  # "your brother"
    return () if is_somebodys or len(about) > LONGEST_SLOT else tuple(words[place] for place in about)


def _is_chatter(gap: Gap) -> bool:
    """Whether words around a question say nothing about it: "for my homework, …", "… if possible"."""
    kinds = [{word.kind, *(kind for kind, _ in word.groups)} for word in gap.asked]
    beside = kinds[-1] if gap.place == 0 else kinds[0]
    return (
        len(kinds) <= _LONGEST_CHATTER and WordKind.LINK not in beside and _CHANGES_IT.isdisjoint(set().union(*kinds))
    )


def _gaps(asked: Sequence[TextWord], names: Sequence[str], known: _Known) -> Iterator[Gap]:
    """What stands between the longest common subsequence of both."""
    here = there = 0
    for block in LCSseq.opcodes(names, known.names).as_matching_blocks():
        if block.a > here or block.b > there:
            is_outermost = here == there == 0 or (block.a == len(asked) and block.b == len(known.words))
            yield Gap(tuple(asked[here : block.a]), known.words[there : block.b], there, is_outermost)
        here, there = block.a + block.size, block.b + block.size


def _name(word: TextWord, known: _Known) -> str:
    """The word, or the known one that means the same."""
    if word.folded in known.names:
        return word.folded
    return next((known.by_group[group] for group in word.groups if group in known.by_group), word.folded)


def _mended(question: str, key: str) -> tuple[tuple[TextWord, ...], int]:
    """The words of a question, each as that of the key that it is a typo of; and how many typos there are."""
    words, expected = written_words(question), written_words(key)
    there = {word.folded for word in words}
    missed = [(word, word.written.lower()) for word in expected if word.folded not in there]
    mended = {
        place: meant
        for place, word in enumerate(words)
        if word not in expected and (meant := _meant(word, missed)) is not None
    }
    if not mended:
        return words_of(question), 0
    return function_words().plain([mended.get(place, word) for place, word in enumerate(words)]), len(mended)


def _meant(word: TextWord, missed: Iterable[tuple[TextWord, str]]) -> TextWord | None:
    """The word that it is a typo of, if there is one; what shapes questions, spelled as it is known, is none."""
    here = word.written.lower()
    if word.kind not in _MAY_BE_TYPOS and function_words().is_written(here):
        return None
    # As they are folded as well, for they may be written in two scripts.
    typos = (other for other, there in missed if is_typo(here, there) or is_typo(word.folded, other.folded))
    return next(typos, None)


@lru_cache(maxsize=16_384)
def _known(text: str) -> _Known:
    words = words_of(text)
    return _Known(
        words,
        tuple(word.folded for word in words),
        tuple(word for word in words if word.kind in MATTERS),
        {group: word.folded for word in words for group in word.groups},
        any(word.kind is WordKind.SLOT for word in words),
    )


def _clashing(words: Iterable[TextWord]) -> set[WordKind]:
    return {kind for word in words for kind, _ in word.groups if kind in _CLASHING}


@lru_cache(maxsize=65_536)
def is_typo(typed: str, meant: str) -> bool:
    """Whether a folded word is a slip or two away from another, or has the same consonants with vowels left out.

    The first letter stays, for "legal" and "illegal" are two words, or changes places with the second.
    """
    if meant[:1] not in typed[:2]:
        return False
    shorter, longer = sorted((typed, meant), key=len)
    if len(shorter) < _SHORTEST_WITH_TYPO - 1 or len(longer) < _SHORTEST_WITH_TYPO or not (typed + meant).isalpha():
        return False
    if typed[0] != meant[0]:
        return typed[1] + typed[0] + typed[2:] == meant
    allowed = 2 if len(shorter) >= _LONG_WORD else 1
    if OSA.distance(typed, meant, score_cutoff=allowed) <= allowed:
        return True
    if (stem := _REQUEST.fullmatch(typed)) and (other := _REQUEST.fullmatch(meant)) and stem[1] == other[1]:
        return True  # likho, likhie, likhna
    consonants = _VOWELS.sub("", shorter)
    return len(consonants) >= _CONSONANTS and shorter == consonants == _VOWELS.sub("", longer)
