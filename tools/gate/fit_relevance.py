"""Fits the order of candidates: `python -m tools.gate.fit_relevance --clinc150 FOLDER` prints the weights of their sum.

These are `RELEVANCE` of memory_store/recall/features.py.
A listwise loss: of all entries of a memory, the one that a question needs should have the largest weighted sum of
similarities. No weight is below 0. The weights are copied into the code by hand, where they stand beside their names.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import typer
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.ports import Embedder
from evaluation.gate.data import Remembered, decisions, intents, word_pairs
from evaluation.gate.fitting import bundled, encoded, matrix_of
from memory_store.index.key_matrix import Query, known
from memory_store.language.word_translation import READINGS
from memory_store.recall.features import RELEVANCE, similarities

Floats: TypeAlias = NDArray[np.float64]
PENALTY = 0.2
INTENTS_ASKED = 600


def memories(clinc150: Path) -> list[Remembered]:
    """The data; public intents count less, because they have no look-alikes."""
    return [
        *(decisions("first", keys=keys) for keys in (False, True)),
        word_pairs().weighing(0.5),
        *(intents(clinc150, stored, INTENTS_ASKED).weighing(0.7) for stored in (1, 5)),
    ]


def table(memory: Remembered, reader: Embedder) -> tuple[Floats, NDArray[np.int64]]:
    """The similarities, shape (questions, entries, len(RELEVANCE)), and the place of the entry that each needs."""
    matrix = matrix_of(memory, reader)
    needing = [case for case in memory.questions if case.applies is not None]
    vectors = encoded(reader, [case.question for case in needing])
    rows = []
    for case, vector in zip(needing, vectors, strict=True):
        text = case.question
        asked = Query.read(text, READINGS, known(vector))
        parts = similarities(matrix.compare(asked))
        rows.append(np.stack([parts[name] for name in RELEVANCE], axis=1))
    places = {entry_id: place for place, entry_id in enumerate(matrix.entry_ids)}
    return np.array(rows), np.array([places[str(case.applies)] for case in needing])


def fit(tables: Sequence[tuple[Floats, NDArray[np.int64], float]]) -> Floats:
    """Weights that sum to 1."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for alike, right, counts in tables:
            sums = alike @ weights
            shares = np.exp(sums - sums.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            each = np.arange(len(right))
            value -= counts * float(np.log(shares[each, right] + 1e-12).sum())
            expected = np.einsum("qe,qef->f", shares, alike)
            slope = slope + counts * (expected - alike[each, right].sum(axis=0))
        return value, slope

    bounds = [(0.0, None)] * len(RELEVANCE)
    found: Floats = minimize(loss, np.ones(len(RELEVANCE)), jac=True, bounds=bounds, method="L-BFGS-B").x
    return found / float(found.sum())


def main(clinc150: Annotated[Path, typer.Option(help="Folder with CLINC150 as dev.json.")]) -> None:
    """Fit the order of candidates, and print the weights."""
    reader, data = bundled(), memories(clinc150)
    weights = fit([(*table(memory, reader), memory.weight) for memory in data])
    print({name: round(float(weight), 3) for name, weight in zip(RELEVANCE, weights, strict=True)})


if __name__ == "__main__":
    typer.run(main)
