"""Which kind of question goes with which kind of answer, learnt from pairs of other stories.

A bilinear model of both: their first and last words, how long the answer is, and the directions in which their meanings
differ most. It is fitted so that each answer picks its own question among all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from evaluation.selection.questions import Asked
from evaluation.selection.texts import Vectors
from memory_store.language.normalize import fold

Floats = NDArray[np.float64]
_PENALTY = 10.0
_DIRECTIONS = 30
_LEAST = 4  # pairs that have a word at such a place; rarer ones say nothing
_LONGEST = 8  # words of an answer that are told apart
_STEPS = 60


def fitness(asked: Sequence[Asked], vectors: Vectors, learnt_from: Sequence[int]) -> Floats:
    """How well each question (columns) goes with each answer (rows), learnt from these pairs; shape (asked, asked)."""
    questions = _sides(vectors([one.question for one in asked]), [_ends(one.question) for one in asked], learnt_from)
    answers = _sides(
        vectors([one.answers[0] for one in asked]),
        [[*_ends(one.answers[0]), str(min(len(fold(one.answers[0]).split()), _LONGEST))] for one in asked],
        learnt_from,
    )
    ours, theirs, own = answers[learnt_from], questions[learnt_from], np.arange(len(learnt_from))

    def loss(parameters: Floats) -> tuple[float, Floats]:
        matrix = parameters.reshape(ours.shape[1], -1)
        odds = ours @ matrix @ theirs.T
        odds -= odds.max(axis=1, keepdims=True)
        chance = np.exp(odds)
        total = chance.sum(axis=1, keepdims=True)
        value = (np.log(total[:, 0]) - odds[own, own]).sum() + _PENALTY * parameters @ parameters / 2
        chance /= total
        chance[own, own] -= 1
        return float(value), (ours.T @ chance @ theirs).ravel() + _PENALTY * parameters

    start = np.zeros(ours.shape[1] * theirs.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    matrix: Floats = answers @ found.x.reshape(ours.shape[1], -1) @ questions.T
    return matrix


def _ends(text: str) -> list[str]:
    words = fold(text).split() or [""]
    return [f"{words[0]} …", f"{' '.join(words[:2])} …", f"… {words[-1]}", f"{words[0]} … {words[-1]}"]


def _sides(vectors: NDArray[np.float32], marks: Sequence[Sequence[str]], learnt_from: Sequence[int]) -> Floats:
    """What is known of texts; shape (texts, values)."""
    counted = Counter(mark for at in learnt_from for mark in marks[at])
    known = [mark for mark, number in counted.items() if number >= _LEAST]
    marked = np.array([[mark in some for mark in known] for some in marks], dtype=float)
    centred = vectors - vectors[learnt_from].mean(axis=0)
    directions = np.linalg.svd(centred[learnt_from], full_matrices=False)[2][:_DIRECTIONS]
    meant = centred @ directions.T
    return np.hstack([meant / (meant[learnt_from].std() or 1.0), marked, np.ones((len(marks), 1))])
