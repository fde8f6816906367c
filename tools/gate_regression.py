"""The logistic regression of the gate, and what its decisions would have been on questions that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.types import Candidate
from memory_store.features import AGAINST
from tools.gate_data import Question, Remembered

Floats: TypeAlias = NDArray[np.float64]

FOLDS = 8
PIECES = 8  # of the curve of a feature
PENALTY = 10.0
RARE = 0.1  # a piece that few questions reach is held back as if its spread were this
LAST = "behind"  # 0 for the nearest candidate, so it is fitted on the others
# `frame` says all that it has to say in `filler` and `misfit`.
NOT_FITTED = frozenset({"frame", "relevance", "own", "helped", "helped_like", "hurt", "hurt_like", "same", LAST})
BINS = 10


@dataclass(frozen=True)
class Pairs:
    """The candidates of the questions of one memory.

    Args:
        memory: the memory.
        names: of the features that are fitted.
        table: shape (pairs, names).
        behind: shape (pairs,).
        question: the place of the question of each pair; shape (pairs,).
        rank: how many candidates of the question are nearer; shape (pairs,).
        label: 1 where the entry is wanted, else 0; shape (pairs,).
        group: pairs of one group are held out together; shape (pairs,).
    """

    memory: Remembered
    names: tuple[str, ...]
    table: Floats
    behind: Floats
    question: NDArray[np.int64]
    rank: NDArray[np.int64]
    label: Floats
    group: NDArray[np.int64]

    @classmethod
    def of(cls, memory: Remembered, candidates: Sequence[Sequence[Candidate]]) -> Pairs:
        """Every candidate that is either wanted or wrong."""
        found = [
            (place, rank, question, candidate)
            for place, (question, nearest) in enumerate(zip(memory.questions, candidates, strict=True))
            for rank, candidate in enumerate(nearest)
            if candidate.entry.id not in question.also
        ]
        names = tuple(sorted({name for *_, candidate in found for name in candidate.scores} - NOT_FITTED))
        groups = {entry.id: number for number, entry in enumerate(memory.entries)}
        return cls(
            memory,
            names,
            np.array([[candidate.scores.get(name, 0.0) for name in names] for *_, candidate in found]),
            np.array([candidate.scores[LAST] for *_, candidate in found]),
            np.array([place for place, *_ in found]),
            np.array([rank for _, rank, *_ in found]),
            np.array([float(candidate.entry.id == question.needs) for *_, question, candidate in found]),
            np.array([_group(question, place, groups) for place, _, question, _ in found]),
        )


@dataclass(frozen=True)
class Outcome:
    """For each question: the probability of its likeliest candidate, and whether that is the one it needs."""

    probability: Floats
    right: NDArray[np.bool_]


Curves: TypeAlias = dict[str, list[float]]


def fit(pairs: Sequence[Pairs], kept: Mapping[str, NDArray[np.bool_]] | None = None) -> tuple[float, Curves]:
    """Intercept and curves that fit the data, each memory by its weight.

    Args:
        pairs: the data.
        kept: name of a memory to which of its pairs count; all where it is not named.
    """
    names = tuple(sorted({name for each in pairs for name in each.names}))
    keep = [(kept or {}).get(each.memory.name, np.ones(len(each.label), dtype=bool)) for each in pairs]
    table = np.concatenate([_with_names(each, names)[some] for each, some in zip(pairs, keep, strict=True)])
    label = np.concatenate([each.label[some] for each, some in zip(pairs, keep, strict=True)])
    behind = np.concatenate([each.behind[some] for each, some in zip(pairs, keep, strict=True)])
    other = np.concatenate([each.rank[some] > 0 for each, some in zip(pairs, keep, strict=True)])
    weight = np.concatenate(
        [np.full(int(some.sum()), each.memory.weight) for each, some in zip(pairs, keep, strict=True)]
    )
    bounds = [(None, 0.0) if name in AGAINST else (0.0, None) for name in names for _ in range(PIECES)]
    intercept, *found = _regression(
        _in_pieces(table[~other]), label[~other], weight[~other], np.zeros((~other).sum()), bounds
    )
    rises = np.array(found).reshape(len(names), PIECES)
    curves = {name: [0.0, *row.cumsum().tolist()] for name, row in zip(names, rises, strict=True)}
    step = 0.0
    if other.any():
        odds = log_odds(names, table[other], intercept, curves)
        _, step = _regression(
            behind[other][:, None], label[other], weight[other], odds, [(None, 0.0)], with_intercept=False
        )
    return float(intercept), {**curves, LAST: [0.0, float(step)]}


def log_odds(names: Sequence[str], table: Floats, intercept: float, curves: Curves) -> Floats:
    """The log odds of each row of features, shape (rows,)."""
    odds = np.full(len(table), intercept)
    for column, name in enumerate(names):
        curve = curves[name]
        odds += np.interp(table[:, column], np.linspace(0.0, 1.0, len(curve)), curve)
    return odds


def held_out(pairs: Sequence[Pairs]) -> dict[str, Outcome]:
    """Memory to the outcome of its questions, each by a fit that saw nothing of the same entry."""
    probabilities = {each.memory.name: np.zeros(len(each.label)) for each in pairs}
    for fold in range(FOLDS):
        kept = {each.memory.name: each.group % FOLDS != fold for each in pairs}
        intercept, curves = fit(pairs, kept)
        for each in pairs:
            left = ~kept[each.memory.name]
            probabilities[each.memory.name][left] = _probability(each, intercept, curves)[left]
    return {each.memory.name: outcome(each, probabilities[each.memory.name]) for each in pairs}


def applied(pairs: Pairs, intercept: float, curves: Curves) -> Outcome:
    """The outcome of questions by a fit on other data."""
    return outcome(pairs, _probability(pairs, intercept, curves))


def _probability(pairs: Pairs, intercept: float, curves: Curves) -> Floats:
    known = [name for name in pairs.names if name in curves]
    table = pairs.table[:, [pairs.names.index(name) for name in known]]
    odds = log_odds([*known, LAST], np.column_stack([table, pairs.behind]), intercept, curves)
    probability: Floats = 1 / (1 + np.exp(-odds))
    return probability


def _in_pieces(table: Floats) -> Floats:
    """How much of each piece of each feature lies below its value; shape (rows, features * PIECES)."""
    pieces: Floats = np.clip(table[:, :, None] * PIECES - np.arange(PIECES), 0.0, 1.0)
    return pieces.reshape(len(table), -1)


def quality(questions: Sequence[Question], outcome: Outcome, use: float) -> dict[str, float]:
    """What the decisions on these questions would have been."""
    kinds = np.array([question.kind for question in questions])
    used = outcome.probability >= use
    right = used & outcome.right
    numbers: dict[str, float] = {}
    if (kinds == "yes").any():
        numbers["precision of use"] = right.sum() / max(1, used.sum())
        numbers["recall of use"] = right.sum() / (kinds == "yes").sum()
        numbers["calibration error"] = calibration_error(outcome)
    for kind in ("look-alike", "everyday"):
        if (kinds == kind).any():
            numbers[f"{kind} spliced"] = used[kinds == kind].mean()
    return {name: round(float(value), 3) for name, value in numbers.items()}


def bins(outcome: Outcome) -> list[tuple[int, float, float]]:
    """For each of ten equal ranges of probability that has any: how many, their mean, and the share that was right."""
    place = np.minimum((outcome.probability * BINS).astype(int), BINS - 1)
    return [
        (int(mine.sum()), float(outcome.probability[mine].mean()), float(outcome.right[mine].mean()))
        for mine in (place == number for number in range(BINS))
        if mine.any()
    ]


def calibration_error(outcome: Outcome) -> float:
    """Expected calibration error over ten bins."""
    return sum(count * abs(said - true) for count, said, true in bins(outcome)) / len(outcome.probability)


def _with_names(pairs: Pairs, names: Sequence[str]) -> Floats:
    table = np.zeros((len(pairs.label), len(names)))
    for column, name in enumerate(names):
        if name in pairs.names:
            table[:, column] = pairs.table[:, pairs.names.index(name)]
    return table


def _regression(
    table: Floats,
    label: Floats,
    weight: Floats,
    offset: Floats,
    bounds: Sequence[tuple[float | None, float | None]],
    *,
    with_intercept: bool = True,
) -> list[float]:
    """Intercept (0 without one) and weights with the least penalized loss within the bounds."""
    spread = np.maximum(table.std(axis=0), RARE)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        odds = offset + parameters[0] + table @ parameters[1:]
        error = weight * (1 / (1 + np.exp(-odds)) - label)
        penalty = PENALTY * parameters[1:] * spread**2
        value = (weight * (np.logaddexp(0, odds) - label * odds)).sum() + penalty @ parameters[1:] / 2
        return float(value), np.concatenate([[error.sum()], table.T @ error + penalty])

    limits = [(None, None) if with_intercept else (0.0, 0.0), *bounds]
    found = minimize(loss, np.zeros(len(limits)), jac=True, bounds=limits, method="L-BFGS-B", options={"maxiter": 3000})
    return [float(value) for value in found.x]


def outcome(pairs: Pairs, probability: Floats) -> Outcome:
    """What the likeliest candidate of each question comes to."""
    first = np.zeros(len(pairs.memory.questions))
    right = np.zeros(len(pairs.memory.questions), dtype=bool)
    for place in np.argsort(probability, kind="stable"):  # the likeliest is written last
        first[pairs.question[place]] = probability[place]
        right[pairs.question[place]] = bool(pairs.label[place])
    return Outcome(first, right)


def _group(question: Question, place: int, groups: Mapping[str, int]) -> int:
    return groups[question.near] if question.near is not None else len(groups) + place
