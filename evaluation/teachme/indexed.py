"""Table A1 of TeachMe: how well a core fact is found for a question, by the texts under which facts are kept.

An index is made of all other questions, each with its core facts, and a question is looked up that rests on one of
these. What is compared is the text of a fact, the question that it was told at, both, or all of its questions and it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assistant.ports import Embedder
from evaluation.facts.bank import Bank, bm25, meaning, words_of
from memory_store.arrays import Floats

FIRST = (1, 2, 3, 5, 10)
_Told: TypeAlias = tuple[str, tuple[int, ...]]  # a fact, and the questions that it was told at


@dataclass(frozen=True, slots=True)
class Found:
    """How often one of the core facts is among the first, in one way."""

    index: str
    by: str
    recall: tuple[float, ...]  # among so many as `FIRST` says


Similarity: TypeAlias = Callable[[Sequence[str], Sequence[str]], Floats]
"""Of questions and texts; shape (questions, texts)."""


def found(bank: Bank, embedder: Embedder) -> tuple[int, list[Found]]:
    """How many questions are looked up, and what is found of them in each way."""
    told = _told_at(bank)
    asked = sorted({one for ones in told.values() if len(ones) > 1 for one in ones})
    ways: Mapping[str, Similarity] = {
        "Noted": lambda texts, facts: meaning(texts, facts, embedder),
        "BM25": bm25,
    }
    results = []
    for by, similar in ways.items():
        for name, (kept, text) in _indexes(bank, told).items():
            places = _places(bank, asked, told, kept, text, similar)
            results.append(Found(name, by, tuple(float((places < most).mean()) for most in FIRST)))
    return len(asked), results


def _told_at(bank: Bank) -> dict[str, tuple[int, ...]]:
    told: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(bank.questions):
        for fact in dict.fromkeys(map(words_of, one.core)):
            told[fact].append(at)
    return {fact: tuple(ones) for fact, ones in told.items()}


def _indexes(bank: Bank, told: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[list[_Told], Callable[[_Told], str]]]:
    """By name what is kept, and under which text. A fact of several questions is kept for each, or once."""
    once: list[_Told] = [*told.items()]
    each: list[_Told] = [(fact, (one,)) for fact, ones in told.items() for one in ones]

    def asked(kept: _Told) -> str:
        return " ".join(bank.questions[one].question for one in kept[1])

    return {
        "fact": (once, lambda kept: kept[0]),
        "question": (each, asked),
        "question and fact": (each, lambda kept: f"{asked(kept)} {kept[0]}"),
        "all its questions and fact": (once, lambda kept: f"{asked(kept)} {kept[0]}"),
    }


def _places(
    bank: Bank,
    asked: Sequence[int],
    told: Mapping[str, tuple[int, ...]],
    kept: Sequence[_Told],
    text: Callable[[_Told], str],
    similar: Similarity,
) -> np.ndarray:
    """For each question the place of the first of its core facts, 0 for the first."""
    without = [[(fact, tuple(one for one in ones if one != at)) for fact, ones in kept] for at in asked]
    texts = sorted({text(one) for some in without for one in some if one[1]})
    place = {one: at for at, one in enumerate(texts)}
    scores = similar([bank.questions[at].question for at in asked], texts)
    found_at = []
    for row, (at, some) in enumerate(zip(asked, without, strict=True)):
        there = [one for one in some if one[1]]
        score = np.array([scores[row, place[text(one)]] for one in there])
        right = np.array([at in told[one[0]] for one in there])
        found_at.append(int((score > score[right].max()).sum()))
    return np.array(found_at)
