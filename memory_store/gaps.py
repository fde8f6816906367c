"""Two questions that differ in one place only, where nobody has said which word either of them asks about. Pure.

"what hides inside landlord ?" and "what hides inside desert ?" may well be the same way of asking. It is a guess: "what
hides inside the old fort ?" differs in one place as well. So it counts only where the person wanted something of a
word, and is a feature of its own beside the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from memory_store.alignment import LONGEST_SLOT, without_ends
from memory_store.chatter import chatter_costs, without_chatter
from memory_store.fillers import ARTICLE, ARTICLES, filler_likeness, is_only_english
from memory_store.function_words import WordKind, folded_set, folded_words, function_words
from memory_store.slips import mended
from memory_store.slots import mask_slot, tells, written_forms
from memory_store.surface import SLOT, fold

_SAYS_LITTLE = frozenset({WordKind.LIGHT, WordKind.REQUEST})
_ASKED_ABOUT = frozenset({WordKind.CONTENT, WordKind.COMMON, WordKind.LIGHT})
_NEVER_ASKED_ABOUT = frozenset({WordKind.PERSON, WordKind.QUESTION})
_SHAPES = frozenset({WordKind.ASKING, WordKind.NEGATION, WordKind.QUESTION})
_LONGEST_TEXT = 300  # characters
_SLIP = 0.95  # what one slip leaves of the certainty
_REWORDED = 0.5  # and more than one word differs, for who asks about a word puts one for one
_ANOTHER_TELLS = 0.3  # and another word that is likelier to be asked about


class _Word(NamedTuple):
    folded: str
    is_outermost: bool  # the first or the last of its question
    has_article: bool
    clause: int  # how many words that ask for an answer stand before it


class _Gap(NamedTuple):
    """Where two questions differ, from the first word that they do not share to the last."""

    place: int
    inserted: tuple[_Word, ...]
    replaced: tuple[_Word, ...]
    around: Sequence[str]

    def replaced_is_new(self, said: str) -> bool:
        """Whether the person did not repeat what stood there before."""
        return {word.folded for word in self.replaced}.isdisjoint(folded_words(said))


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
    asked, left_out = without_chatter(asked, known)
    gap = _only_word(asked, known, said) or _only_place(asked, known, said)
    if gap is None:
        return None
    inserted, replaced = _written(gap.inserted, question), _written(gap.replaced, known)
    written = written_forms(question)
    around = [written.get(word, word) for word in gap.around]
    likeness = filler_likeness(inserted, replaced, folded_words(said), around)
    likeness *= _SLIP**slips * chatter_costs(left_out)
    if gap.inserted[0].has_article and not gap.replaced[0].has_article:
        likeness *= ARTICLE
    if len(gap.inserted) > 1 or len(gap.replaced) > 1:
        likeness *= _REWORDED
    is_elsewhere = _another_tells(known, gap) or _another_is_marked(known, said, gap)
    return likeness * (_ANOTHER_TELLS if is_elsewhere else 1.0)


def _only_word(asked: str, known: str, said: str) -> _Gap | None:
    """The one word for which two questions differ that are else the same, word by word, but for what people put around.

    It may be any word, for nearly every one may be asked about, but no person; and one that shapes questions only
    where its place may be asked about.
    """
    old = _all_words(known)
    gap = _gap(without_ends(_all_words(asked), len(old), lambda word: _says_little(word.folded)), old)
    both = [word.folded for word in (*gap.inserted, *gap.replaced)]
    behind = [word.folded for word in old[gap.place + 1 : gap.place + 2]]
    if len(gap.inserted) != 1 or len(gap.replaced) != 1:
        return None
    if any(function_words().is_somebody(word, behind) for word in both):
        return None
    if not (gap.replaced_is_new(said) and tells(gap.around)):
        return None
    shapes = any(function_words().kind(word) in _SHAPES for word in both)
    return None if shapes and not _may_be_asked_about(known, old, gap) else gap


def _only_place(asked: str, known: str, said: str) -> _Gap | None:
    """The one place where two questions differ beside words that say little, if it may be asked about."""
    old = _words(known)
    gap = _gap(_words(asked), old)
    if not (_fills(gap.inserted) and _fills(gap.replaced) and gap.replaced_is_new(said) and tells(gap.around)):
        return None
    if not (_is_one_place(gap.inserted) and _is_one_place(gap.replaced)):
        return None
    return gap if _may_be_asked_about(known, old, gap) else None


def _gap(new: Sequence[_Word], old: Sequence[_Word]) -> _Gap:
    first = _shared(new, old)
    last = _shared(new[first:][::-1], old[first:][::-1])
    around = (*old[:first], *old[len(old) - last :])
    return _Gap(
        first,
        tuple(new[first : len(new) - last]),
        tuple(old[first : len(old) - last]),
        [word.folded for word in around],
    )


def _may_be_asked_about(known: str, words: Sequence[_Word], gap: _Gap) -> bool:
    """Whether a linking word marks the place ("of ▢", "▢ ka"), or nothing marks any, or the place tells by itself.

    "for a walk" marks none, for people put no article before a word as such. The place tells where it is the first or
    the last, or holds the only English word.
    """
    first, last = gap.place, gap.place + len(gap.replaced)
    if any(word.is_outermost for word in words[first:last]):
        return True
    if is_only_english(_written(words[first:last], known), _written([*words[:first], *words[last:]], known)):
        return True
    return _is_linked(words, first, last) or not any(
        _is_linked(words, place, place + 1)
        for place, word in enumerate(words)
        if function_words().kind(word.folded) is WordKind.CONTENT and not word.has_article
    )


def _another_tells(known: str, gap: _Gap) -> bool:
    """Whether another word of the known question is the only English one: "lantern ka daam", "lantern ki kahani"."""
    others = [word for word in _all_words(known) if word not in gap.replaced]
    rest = _written([*gap.replaced, *others], known)
    return any(
        is_only_english([written], [word for word in rest if word != written])
        for written in _written(others, known)
        if function_words().kind(fold(written)) is WordKind.CONTENT
    )


def _another_is_marked(known: str, said: str, gap: _Gap) -> bool:
    """Whether a linking word behind another word alone says that this one is asked about: "dil se tuk", "dil se haath".

    To be English where the marked word is not says more than that.
    """
    words = _all_words(known)
    first, last = words.index(gap.replaced[0]), words.index(gap.replaced[-1])
    if _is_linked(words, first, last + 1):
        return False
    masked = mask_slot(known, said=said)
    if masked is None or not function_words().follows(folded_words(masked), SLOT):
        return False
    marked = [word for word in words if word.folded not in folded_set(masked)]
    is_elsewhere = {word.folded for word in gap.replaced} <= folded_set(masked)
    return is_elsewhere and not is_only_english(_written(gap.replaced, known), _written(marked, known))


def _is_linked(words: Sequence[_Word], first: int, last: int) -> bool:
    return function_words().links([word.folded for word in words[:first]], [word.folded for word in words[last:]])


def _fills(words: Sequence[_Word]) -> bool:
    return 0 < len(words) <= LONGEST_SLOT and all(_may_fill(word.folded) for word in words)


def _is_one_place(words: Sequence[_Word]) -> bool:
    """Whether no word that asks for an answer stands between: "dooja *naam* kya hai *film* ka" is two places."""
    return len({word.clause for word in words}) == 1


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
    return tuple(word for word in _all_words(text) if not _says_little(word.folded))


@lru_cache(maxsize=16_384)
def _all_words(text: str) -> tuple[_Word, ...]:
    tokens = function_words().plain(folded_words(text))
    clauses = accumulate(function_words().kind(token) is WordKind.REQUEST for token in tokens)
    return tuple(
        _Word(token, place in {0, len(tokens) - 1}, before in ARTICLES, clause)
        for place, (before, token, clause) in enumerate(zip(("", *tokens), tokens, clauses, strict=False))
    )


def _says_little(word: str) -> bool:
    is_link = any(kind is WordKind.LINK for kind, _ in function_words().groups(word))
    return function_words().kind(word) in _SAYS_LITTLE and not is_link


def _written(words: Sequence[_Word], text: str) -> tuple[str, ...]:
    """Words of a text as the person wrote them."""
    written = written_forms(text)
    return tuple(written.get(word.folded, word.folded) for word in words)
