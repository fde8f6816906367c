"""How two clarifications of one person relate: whether the newer takes the place of the older, or stands beside it.

    same question, same phrase            the newer one takes its place     "akin": first an antonym, now a synonym
    same kind of question, said alike     they become one, with both keys   "akin to quick", "akin to big": a synonym
    same phrase, other question           both stay, and get their context  "kal": yesterday, tomorrow
    all else                              they have nothing to do with each other

The *phrase* is what a person repeats from the question when they say what they meant ("by kal I mean tomorrow"). Pure.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

from assistant.feedback import correction_in
from memory_store.frames import match_frame
from memory_store.function_words import WordKind, folded_words, function_words
from memory_store.slots import mask_slot
from memory_store.surface import fold, ngram_similarity

_SAME_KIND = 0.9  # likeness of frame and filler from which two questions are of one kind
_SAID_ALIKE = 0.9  # likeness of spelling from which two clarifications say the same
_LONGEST_TEXT = 500  # characters; longer texts are alike only where they are the same
_TELLING = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION})
_PHRASE = frozenset({WordKind.CONTENT, WordKind.NEGATION})
_CACHED = 1_024  # what was said last, so that one saving does not read the same texts again and again
_EDGES = "\"'“”‘’«»()[]{}<>,;:?!.…।॥"


class Kin(StrEnum):
    """What an older entry is to a new one of the same kind (clarification or example) and person."""

    STRANGER = "stranger"
    REPLACED = "replaced"  # the same question and phrase: the new one takes its place
    MERGED = "merged"  # says the same of the same kind of question: it takes its place, and keeps its keys
    BESIDE = "beside"  # the same phrase in another context: both stay


@dataclass(frozen=True, slots=True)
class Said:
    """What matters here of an entry, or of one about to be saved: what was asked, how it was misunderstood, and what
    the person then said, and in which conversation alone it counts. An example has only a question.
    """

    question: str
    wrong_understanding: str = ""
    text: str = ""
    only_in: str = ""


class Kinship(Protocol):
    """Compares what one person said. Pure: the ledger calls it inside the transaction that saves."""

    def forms(self, said: Said) -> Collection[str]:
        """Texts of which kin share at least one, so that the ledger can look them up. The first is the question's."""

    def relation(self, new: Said, old: Said) -> Kin:
        """What the old one is to the new one."""

    def context(self, said: Said, other: Said) -> str:
        """A text that holds the phrase and what in the question is about its own context; empty where nothing is."""


class Phrasing:
    """Kinship by question, frame, phrase and what was said."""

    def forms(self, said: Said) -> Collection[str]:
        frame = _frame(said)
        return (
            _question_form(said.question),
            *((f"frame {frame}",) if frame else ()),
            *(f"phrase {word}" for word in sorted(_phrase(said))),
        )

    def relation(self, new: Said, old: Said) -> Kin:
        phrases = _phrase(new), _phrase(old)
        alike = _said_alike(new, old)
        if _question_form(new.question) == _question_form(old.question):
            if alike:
                return Kin.MERGED
            return Kin.STRANGER if all(phrases) and phrases[0].isdisjoint(phrases[1]) else Kin.REPLACED
        if alike:
            return Kin.MERGED if new.text and _same_kind(new, old) else Kin.STRANGER
        return Kin.BESIDE if phrases[0] & phrases[1] else Kin.STRANGER

    def context(self, said: Said, other: Said) -> str:
        phrase = _phrase(said) & _phrase(other)
        elsewhere = set(folded_words(other.question)) | _phrase(said)
        about = {token for token in _content(said.question) if token not in elsewhere}
        if not about:
            return ""
        words = (word.strip(_EDGES) for word in said.question.split())
        return " ".join(word for word in words if not (phrase | about).isdisjoint(folded_words(word)))


PHRASING = Phrasing()


def _question_form(question: str) -> str:
    # A question of signs only has no folded form, and is the same only as itself.
    return f"question {fold(question) or question}"


@lru_cache(maxsize=_CACHED)
def _frame(said: Said) -> str:
    masked = mask_slot(said.question, said.wrong_understanding, said.text)
    return fold(masked) if masked else ""


def _same_kind(new: Said, old: Said) -> bool:
    if (frame := _frame(new)) and frame == _frame(old):
        return True
    match = match_frame(new.question, old.question, old.question, old.wrong_understanding, old.text)
    return match.likeness * match.filler >= _SAME_KIND


def _said_alike(new: Said, old: Said) -> bool:
    """Whether both say the same, in the same telling words or nearly the same spelling."""
    if max(len(new.text), len(old.text)) > _LONGEST_TEXT:
        return new.text == old.text
    meant, before = _meant(new), _meant(old)
    ours, theirs = _telling(meant), _telling(before)
    if _negations(ours) != _negations(theirs):
        return False
    # What was asked about may be named in both: "for quick I want a synonym".
    ours, theirs = ours - _phrase_or_slot(new), theirs - _phrase_or_slot(old)
    return (bool(ours) and ours == theirs) or fold(meant) == fold(before) or _spelled_alike(meant, before)


def _spelled_alike(first: str, second: str) -> bool:
    return ngram_similarity(first, second) >= _SAID_ALIKE


@lru_cache(maxsize=_CACHED)
def _meant(said: Said) -> str:
    return correction_in(said.text) or said.text


def _phrase_or_slot(said: Said) -> frozenset[str]:
    return frozenset(folded_words(said.question)) & _content(said.text)


@lru_cache(maxsize=_CACHED)
def _telling(text: str) -> frozenset[str]:
    return frozenset(token for token in folded_words(text) if function_words().kind(token) in _TELLING)


@lru_cache(maxsize=_CACHED)
def _content(text: str) -> frozenset[str]:
    return frozenset(token for token in folded_words(text) if function_words().kind(token) is WordKind.CONTENT)


def _negations(tokens: Collection[str]) -> frozenset[str]:
    return frozenset(token for token in tokens if function_words().kind(token) is WordKind.NEGATION)


@lru_cache(maxsize=_CACHED)
def _phrase(said: Said) -> frozenset[str]:
    """The words of the question that the person repeats, as far as they are about something."""
    if len(said.question) > _LONGEST_TEXT or len(said.text) > _LONGEST_TEXT:
        return frozenset()
    repeated = frozenset(folded_words(said.question)) & frozenset(folded_words(said.text))
    return frozenset(token for token in repeated if function_words().kind(token) in _PHRASE)
