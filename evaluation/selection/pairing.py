"""Which kind of question goes with which kind of answer, learnt from pairs of other stories.

A bilinear model of both: their first and last words, how long the answer is, and the directions in which their meanings
differ most. It is fitted so that each answer, also the second that people gave, picks its own question among all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from evaluation.selection.questions import Asked
from evaluation.selection.texts import Vectors
from memory_store.language.normalize import fold

Floats = NDArray[np.float64]
Fitness = Callable[[int, int], float]
"""How well a question, the second, goes with the answer of the first, by their places among all."""
_PENALTY = 20.0
_DIRECTIONS = 30
_LEAST = 4  # pairs that have a word at such a place; rarer ones say nothing
_LONGEST = 8  # words of an answer that are told apart
_STEPS = 60


def fitness(asked: Sequence[Asked], vectors: Vectors, learnt_from: Sequence[int]) -> Fitness:
    """Learnt from these pairs."""
    given = [(place, answer) for place, at in enumerate(learnt_from) for answer in dict.fromkeys(asked[at].answers)]
    own = np.array([place for place, _ in given])
    each = np.arange(len(given))
    questions = _sides(vectors([one.question for one in asked]), [_ends(one.question) for one in asked], learnt_from)
    texts = [*(one.answers[0] for one in asked), *(answer for _, answer in given)]
    marks = [[*_ends(text), str(min(len(fold(text).split()), _LONGEST))] for text in texts]
    answers = _sides(vectors(texts), marks, [*range(len(asked), len(texts))])
    ours, theirs = answers[len(asked) :], questions[learnt_from]
    weights = 1 / np.bincount(own)[own]  # an answer of two counts half

    def loss(parameters: Floats) -> tuple[float, Floats]:
        matrix = parameters.reshape(ours.shape[1], -1)
        odds = ours @ matrix @ theirs.T
        odds -= odds.max(axis=1, keepdims=True)
        chance = np.exp(odds)
        total = chance.sum(axis=1, keepdims=True)
        value = weights @ (np.log(total[:, 0]) - odds[each, own]) + _PENALTY * parameters @ parameters / 2
        chance /= total
        chance[each, own] -= 1
        return float(value), ((ours * weights[:, None]).T @ chance @ theirs).ravel() + _PENALTY * parameters

    start = np.zeros(ours.shape[1] * theirs.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    matrix: Floats = answers[: len(asked)] @ found.x.reshape(ours.shape[1], -1) @ questions.T
    return lambda answer, question: float(matrix[answer, question])


def beginnings(text: str) -> list[str]:
    """Its first word and its first two: of a question, roughly its kind."""
    words = fold(text).split() or [""]
    return [f"{words[0]} …", f"{' '.join(words[:2])} …"]


def _ends(text: str) -> list[str]:
    words = fold(text).split() or [""]
    return [*beginnings(text), f"… {words[-1]}", f"{words[0]} … {words[-1]}"]


def _sides(vectors: NDArray[np.float32], marks: Sequence[Sequence[str]], learnt_from: Sequence[int]) -> Floats:
    """What is known of texts; shape (texts, values)."""
    counted = Counter(mark for at in learnt_from for mark in marks[at])
    known = [mark for mark, number in counted.items() if number >= _LEAST]
    marked = np.array([[mark in some for mark in known] for some in marks], dtype=float)
    centred = vectors - vectors[learnt_from].mean(axis=0)
    directions = np.linalg.svd(centred[learnt_from], full_matrices=False)[2][:_DIRECTIONS]
    meant = centred @ directions.T
    return np.hstack([meant / (meant[learnt_from].std() or 1.0), marked, np.ones((len(marks), 1))])
