"""Fits the order of candidates: `python -m tools.fit_relevance --clinc150 FOLDER` prints the weights of their sum.

These are `RELEVANCE` of memory_store/features.py.
A listwise loss: of all entries of a memory, the one that a question needs should have the largest weighted sum of
similarities. No weight is below 0. The weights are copied into the code by hand, where they stand beside their names.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.ports import Embedder
from memory_store.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.features import RELEVANCE, nearness
from memory_store.glossed import READINGS, GlossedEmbedder
from memory_store.segment import Asked, known
from tools.gate_data import Remembered, decisions, intents, word_pairs
from tools.gate_features import encoded, segment_of

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
    segment = segment_of(memory, reader)
    needing = [question for question in memory.questions if question.needs is not None]
    vectors = encoded(reader, [question.text for question in needing])
    rows = []
    for question, vector in zip(needing, vectors, strict=True):
        text = question.text
        asked = Asked.prepare(text, READINGS.fold(text), READINGS.english(text), known(vector))
        parts = nearness(segment, segment.compare(asked))
        rows.append(np.stack([parts[name] for name in RELEVANCE], axis=1))
    places = {entry_id: place for place, entry_id in enumerate(segment.entry_ids)}
    return np.array(rows), np.array([places[str(question.needs)] for question in needing])


def fit(tables: Sequence[tuple[Floats, NDArray[np.int64], float]]) -> Floats:
    """Weights that sum to 1."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for similarities, right, counts in tables:
            sums = similarities @ weights
            shares = np.exp(sums - sums.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            each = np.arange(len(right))
            value -= counts * float(np.log(shares[each, right] + 1e-12).sum())
            expected = np.einsum("qe,qef->f", shares, similarities)
            slope = slope + counts * (expected - similarities[each, right].sum(axis=0))
        return value, slope

    bounds = [(0.0, None)] * len(RELEVANCE)
    found: Floats = minimize(loss, np.ones(len(RELEVANCE)), jac=True, bounds=bounds, method="L-BFGS-B").x
    return found / found.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clinc150", type=Path, required=True, help="folder with CLINC150 as dev.json")
    reader = GlossedEmbedder(SentenceEmbedder(choose_embedder(BUNDLED)))
    data = memories(parser.parse_args().clinc150)
    weights = fit([(*table(memory, reader), memory.weight) for memory in data])
    print({name: round(float(weight), 3) for name, weight in zip(RELEVANCE, weights, strict=True)})


if __name__ == "__main__":
    main()
