"""The words that were misunderstood in a question, and whether a new question has them again. Pure.

"which apples are good for the party" is "which cider is good for the party" in all but the one word that was cleared
up. Nothing else tells the two apart, and that word tells them apart at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from assistant.types import Entry, KeyOrigin
from memory_store.function_words import WordKind, folded_set, folded_words, function_words
from memory_store.slips import mended

# Words of asking are in every correction ("I meant a word that ..."), so they say nothing about what was misunderstood.
_MISUNDERSTOOD = frozenset({WordKind.NEGATION, WordKind.CONTENT})
_LONGEST_PHRASE = 5  # words
_SHORTEST_STEM = 4  # letters


def shared_words(known: str, said: str, question: str) -> float:
    """Of the words that a correction repeats from the question it corrects, the share that a new question has too.

    0 where nothing is repeated.

    Args:
        known: the question that was corrected.
        said: what the person said about it.
        question: the new question.
    """
    repeated = repeated_words(known, said)
    return len(repeated & folded_set(question)) / len(repeated) if repeated else 0.0


@lru_cache(maxsize=16_384)
def repeated_words(known: str, said: str) -> frozenset[str]:
    """What a person repeats who corrects a question ("by shabd batao I mean …"), folded: that was misunderstood."""
    return _telling(folded_set(known) & folded_set(said))


def cleared_up_words(entry: Entry) -> frozenset[str]:
    """What was misunderstood in the question of an entry, folded: the phrase as a model quotes it, or else what the
    person repeats. Empty where neither tells.
    """
    return _quoted(entry) or repeated_words(entry.question, entry.text)


def share_again(words: frozenset[str], question: str, known: str) -> float:
    """Which share of some words of a known question a new one has as well, in any form; 1 where there are none."""
    if not words:
        return 1.0
    there = folded_set(mended(question, known)[0])
    return sum(word in there or _is_inflected(word, there) for word in words) / len(words)


def _quoted(entry: Entry) -> frozenset[str]:
    """The words of the first further key that only quotes the question."""
    known = folded_set(entry.question)
    for key in entry.keys:
        # Nearly every key has another word among its first ones, so that the whole need not be folded.
        if key.origin is not KeyOrigin.MODEL or not all(map(known.issuperset, map(folded_words, key.text.split()))):
            continue
        words = folded_words(key.text)
        if 0 < len(words) <= _LONGEST_PHRASE and known.issuperset(words) and (telling := _telling(words)):
            return telling
    return frozenset()


def _telling(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if function_words().kind(word) in _MISUNDERSTOOD)


def _is_inflected(word: str, there: Iterable[str]) -> bool:
    """Whether another form of a word is there: preponed, preponing."""
    stem = word[:-1]
    return len(stem) >= _SHORTEST_STEM and any(other.startswith(stem) for other in there)
