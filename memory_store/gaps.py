"""Two questions that differ in one place only, where nobody has said which word either of them asks about. Pure.

"what hides inside landlord ?" and "what hides inside desert ?" may well be the same way of asking. It is a guess: "what
hides inside the old fort ?" differs in one place as well. So it counts only where the person wanted something of a
word, and is a feature of its own beside the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from memory_store.alignment import LONGEST_SLOT
from memory_store.fillers import ARTICLE, ARTICLES, filler_likeness, is_only_english
from memory_store.function_words import WordKind, folded_words, function_words
from memory_store.slips import mended
from memory_store.slots import tells, written_forms

_SAYS_LITTLE = frozenset({WordKind.LIGHT, WordKind.REQUEST})
_ASKED_ABOUT = frozenset({WordKind.CONTENT, WordKind.COMMON, WordKind.LIGHT})
_NEVER_ASKED_ABOUT = frozenset({WordKind.PERSON, WordKind.QUESTION})
_LONGEST_TEXT = 300  # characters
_SLIP = 0.95  # what one slip leaves of the certainty


class _Word(NamedTuple):
    folded: str
    is_outermost: bool  # the first or the last of its question
    has_article: bool


@lru_cache(maxsize=16_384)
def one_gap(question: str, known: str, said: str) -> float | None:
    """Whether what stands in the one place where two questions differ may be asked about in both.

    Args:
        question: the new question.
        known: a question asked before.
        said: what the person said to correct it. What that repeats was misunderstood, and is to be there again.

    Returns:
        In [0, 1], or None where the two do not differ in one place, or the person wanted nothing of a word.
    """
    if max(len(question), len(known)) > _LONGEST_TEXT or not function_words().is_about_words(folded_words(said)):
        return None
    asked, slips = mended(question, known)
    new, old = _words(asked), _words(known)
    first = _shared(new, old)
    last = _shared(new[first:][::-1], old[first:][::-1])
    inserted, replaced = new[first : len(new) - last], old[first : len(old) - last]
    around = [word.folded for word in (*old[:first], *old[len(old) - last :])]
    if not (_fills(inserted) and _fills(replaced) and tells(around)):
        return None
    if not _may_be_asked_about(known, first, len(old) - last, said):
        return None
    article = ARTICLE if inserted[0].has_article and not replaced[0].has_article else 1.0
    return filler_likeness(_written(inserted, asked), _written(replaced, known)) * article * _SLIP**slips


def _may_be_asked_about(known: str, first: int, last: int, said: str) -> bool:
    """Whether a linking word marks the place ("of ▢", "▢ ka"), or nothing marks any, or the place tells by itself.

    It does where it is the first or the last, or holds the only English word.
    """
    words = _words(known)
    if not {word.folded for word in words[first:last]}.isdisjoint(folded_words(said)):
        return False
    if any(word.is_outermost for word in words[first:last]):
        return True
    if is_only_english(_written(words[first:last], known), _written([*words[:first], *words[last:]], known)):
        return True
    places = [place for place, word in enumerate(words) if function_words().kind(word.folded) is WordKind.CONTENT]
    return _is_linked(words, first, last) or not any(_is_linked(words, place, place + 1) for place in places)


def _is_linked(words: Sequence[_Word], first: int, last: int) -> bool:
    return function_words().links([word.folded for word in words[:first]], [word.folded for word in words[last:]])


def _fills(words: Sequence[_Word]) -> bool:
    return 0 < len(words) <= LONGEST_SLOT and all(_may_fill(word.folded) for word in words)


def _may_fill(word: str) -> bool:
    kinds = {kind for kind, _ in function_words().groups(word)}
    return function_words().kind(word) in _ASKED_ABOUT and kinds.isdisjoint(_NEVER_ASKED_ABOUT)


def _shared(first: Sequence[_Word], second: Sequence[_Word]) -> int:
    """How many words both begin with."""
    for place, (one, other) in enumerate(zip(first, second, strict=False)):
        if not _same(one.folded, other.folded):
            return place
    return min(len(first), len(second))


def _same(first: str, second: str) -> bool:
    return first == second or bool(function_words().groups(first) & function_words().groups(second))


@lru_cache(maxsize=16_384)
def _words(text: str) -> tuple[_Word, ...]:
    """The words that say more than that something is asked."""
    tokens = function_words().plain(folded_words(text))
    words = [
        _Word(token, place in {0, len(tokens) - 1}, before in ARTICLES)
        for place, (before, token) in enumerate(zip(("", *tokens), tokens, strict=False))
    ]
    return tuple(word for word in words if not _says_little(word.folded))


def _says_little(word: str) -> bool:
    is_link = any(kind is WordKind.LINK for kind, _ in function_words().groups(word))
    return function_words().kind(word) in _SAYS_LITTLE and not is_link


def _written(words: Sequence[_Word], text: str) -> tuple[str, ...]:
    """Words of a text as the person wrote them."""
    written = written_forms(text)
    return tuple(written.get(word.folded, word.folded) for word in words)
