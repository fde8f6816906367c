"""The logistic regression of the gate, fitted on candidates of which it is known whether they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.types import Candidate
from evaluation.gate.data import Remembered

Floats: TypeAlias = NDArray[np.float64]

PENALTY = 1.0  # of the weights, each beside the spread of its feature
_LEAST_SPREAD = 0.05


@dataclass(frozen=True)
class Pairs:
    """Candidates of the questions of some memories; `table` has shape (pairs, names), the others (pairs,)."""

    names: tuple[str, ...]
    table: Floats
    wanted: Floats  # 1 where the entry is wanted, else 0
    weight: Floats  # how much each counts

    @classmethod
    def of(cls, names: Sequence[str], found: Sequence[tuple[Remembered, Sequence[Sequence[Candidate]]]]) -> Pairs:
        """Take every candidate that is either wanted or wrong, of each memory with its candidates by question."""
        rows = [
            (candidate, candidate.entry.id == case.applies, memory.weight)
            for memory, by_question in found
            for case, nearest in zip(memory.questions, by_question, strict=True)
            for candidate in nearest
            if candidate.entry.id not in case.as_good
        ]
        table = np.array([[candidate.scores.get(name, 0.0) for name in names] for candidate, *_ in rows])
        wanted, weight = np.array([float(row[1]) for row in rows]), np.array([row[2] for row in rows])
        return cls(tuple(names), table, wanted, weight)


def fit(pairs: Pairs) -> tuple[float, dict[str, float]]:
    """Return the intercept and the weights that fit best. The penalty is on weights of standardised features."""
    middle, spread = pairs.table.mean(axis=0), np.maximum(pairs.table.std(axis=0), _LEAST_SPREAD)
    table = (pairs.table - middle) / spread

    def loss(parameters: Floats) -> tuple[float, Floats]:
        odds = parameters[0] + table @ parameters[1:]
        error = pairs.weight * (1 / (1 + np.exp(-odds)) - pairs.wanted)
        value = (pairs.weight * (np.logaddexp(0, odds) - pairs.wanted * odds)).sum()
        held = PENALTY * parameters[1:]
        return float(value + held @ parameters[1:] / 2), np.concatenate([[error.sum()], table.T @ error + held])

    found = minimize(loss, np.zeros(len(pairs.names) + 1), jac=True, method="L-BFGS-B").x
    weights = found[1:] / spread
    return float(found[0] - middle @ weights), dict(zip(pairs.names, weights.tolist(), strict=True))
