"""The logistic regression of the gate: additive, with one monotone curve of straight pieces per feature.

The curve of what speaks for an entry never falls, of what speaks against it never rises
(`memory_store.recall.features.AGAINST`). How far a candidate lies behind the nearest is fitted last, on the others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.types import Candidate
from evaluation.gate.data import Remembered
from memory_store.recall.features import AGAINST

Floats: TypeAlias = NDArray[np.float64]
Curves: TypeAlias = dict[str, list[float]]

PIECES = 8  # of the curve of a feature
PENALTY = 10.0
RARE = 0.1  # a piece that few questions reach is held back as if its spread were this
LAST = "margin_behind"  # 0 for the nearest candidate, so it is fitted on the others
# `frame` says all that it has to say in `filler` and `misfit`.
NOT_FITTED = frozenset({"frame", "relevance", "own", "helped", "helped_like", "hurt", "hurt_like", "same", LAST})


@dataclass(frozen=True)
class Pairs:
    """The candidates of the questions of one memory."""

    memory: Remembered
    names: tuple[str, ...]  # of the features that are fitted
    table: Floats  # shape (pairs, names)
    behind: Floats  # shape (pairs,)
    is_nearest: NDArray[np.bool_]  # whether no candidate of the question is nearer; shape (pairs,)
    label: Floats  # 1 where the entry is wanted, else 0; shape (pairs,)

    @classmethod
    def of(cls, memory: Remembered, candidates: Sequence[Sequence[Candidate]]) -> Pairs:
        """Every candidate that is either wanted or wrong."""
        found = [
            (rank, case, candidate)
            for case, nearest in zip(memory.questions, candidates, strict=True)
            for rank, candidate in enumerate(nearest)
            if candidate.entry.id not in case.as_good
        ]
        names = tuple(sorted({name for *_, candidate in found for name in candidate.scores} - NOT_FITTED))
        return cls(
            memory,
            names,
            np.array([[candidate.scores.get(name, 0.0) for name in names] for *_, candidate in found]),
            np.array([candidate.scores[LAST] for *_, candidate in found]),
            np.array([rank == 0 for rank, *_ in found]),
            np.array([float(candidate.entry.id == case.applies) for _, case, candidate in found]),
        )

    def with_only(self, names: Sequence[str]) -> Pairs:
        """The same with just these features, 0 where there was none."""
        table = np.zeros((len(self.label), len(names)))
        for column, name in enumerate(names):
            if name in self.names:
                table[:, column] = self.table[:, self.names.index(name)]
        return replace(self, names=tuple(names), table=table)


def fit(pairs: Sequence[Pairs], left_out: Collection[str] = ()) -> tuple[float, Curves]:
    """Intercept and curves that fit the data, each memory by its weight, without the features that are left out."""
    names = sorted({name for each in pairs for name in each.names} - set(left_out))
    table = np.concatenate([each.with_only(names).table for each in pairs])
    label = np.concatenate([each.label for each in pairs])
    behind = np.concatenate([each.behind for each in pairs])
    other = ~np.concatenate([each.is_nearest for each in pairs])
    weight = np.concatenate([np.full(len(each.label), each.memory.weight) for each in pairs])
    bounds = [(None, 0.0) if name in AGAINST else (0.0, None) for name in names for _ in range(PIECES)]
    intercept, *found = _regression(
        _in_pieces(table[~other]), label[~other], weight[~other], np.zeros((~other).sum()), bounds
    )
    rises = np.array(found).reshape(len(names), PIECES)
    curves = {name: [0.0, *row.cumsum().tolist()] for name, row in zip(names, rises, strict=True)}
    step = 0.0
    if other.any() and LAST not in left_out:
        odds = intercept + _in_pieces(table[other]) @ np.array(found)
        _, step = _regression(
            behind[other][:, None], label[other], weight[other], odds, [(None, 0.0)], with_intercept=False
        )
    return float(intercept), {**curves, LAST: [0.0, float(step)]}


def _in_pieces(table: Floats) -> Floats:
    """How much of each piece of each feature lies below its value; shape (rows, features * PIECES)."""
    pieces: Floats = np.clip(table[:, :, None] * PIECES - np.arange(PIECES), 0.0, 1.0)
    return pieces.reshape(len(table), -1)


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
