"""Logistic regression for the gate, fitted on candidates labelled as wanted or not.

Each feature has a piecewise linear curve that never falls; for features against an entry, it never rises.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from evaluation.decisions.benchmark import DecisionCase, Id

Floats: TypeAlias = NDArray[np.float64]

PIECES = 6  # per curve
PENALTY = 5.0
AGAINST = frozenset({"copied"})
"""Features that lower the probability."""
_LEAST_SPREAD = 0.1  # lowest standard deviation for the penalty, for pieces that few questions reach


class CaseFeatures(NamedTuple):
    """A question with its weight, and the features of its candidates by entry."""

    case: DecisionCase
    weight: float
    candidates: Mapping[Id, Mapping[str, float]]


@dataclass(frozen=True)
class Pairs:
    """Candidates of the questions of some memories; `table` has shape (pairs, names), the others (pairs,)."""

    names: tuple[str, ...]
    table: Floats
    wanted: Floats  # 1 if the entry is wanted, else 0
    weight: Floats

    @classmethod
    def of(cls, names: Sequence[str], judged: Iterable[CaseFeatures]) -> Pairs:
        """Make pairs of all candidates that are wanted or wrong."""
        rows = [
            ([scores.get(name, 0.0) for name in names], float(entry == one.case.applies), one.weight)
            for one in judged
            for entry, scores in one.candidates.items()
            if entry not in one.case.as_good
        ]
        table, wanted, weight = zip(*rows, strict=True)
        return cls(tuple(names), np.array(table), np.array(wanted), np.array(weight))


def fit(pairs: Pairs) -> tuple[float, dict[str, list[float]]]:
    """Return the intercept and the curves that minimise the penalised loss."""
    pieces = np.clip(pairs.table[:, :, None] * PIECES - np.arange(PIECES), 0.0, 1.0).reshape(len(pairs.table), -1)
    held = PENALTY * np.maximum(pieces.std(axis=0), _LEAST_SPREAD) ** 2

    def loss(parameters: Floats) -> tuple[float, Floats]:
        odds = parameters[0] + pieces @ parameters[1:]
        error = pairs.weight * (1 / (1 + np.exp(-odds)) - pairs.wanted)
        value = (pairs.weight * (np.logaddexp(0, odds) - pairs.wanted * odds)).sum()
        penalty = held * parameters[1:]
        gradient = np.concatenate([[error.sum()], pieces.T @ error + penalty])
        return float(value + penalty @ parameters[1:] / 2), gradient

    sides = [(None, 0) if name in AGAINST else (0, None) for name in pairs.names]
    bounds = [(None, None), *(side for side in sides for _ in range(PIECES))]
    start = np.zeros(len(bounds))
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 3000}).x
    curves = found[1:].reshape(len(pairs.names), PIECES).cumsum(axis=1)
    return float(found[0]), {name: [0.0, *curve.tolist()] for name, curve in zip(pairs.names, curves, strict=True)}
