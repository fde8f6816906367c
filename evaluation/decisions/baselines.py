"""Baselines for Noted: the rule of MemPrompt, and a plain sum of what Noted sees of an entry.

A baseline scores every entry, ranks by that score, and uses the first entry where its score reaches a threshold.
MemPrompt uses a stored question whose cosine is above 0.9 (section 3). The plain sum has the threshold with the best F1
on the very questions that are measured, which no real system could know: this favours it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assistant.ports import Embedder
from evaluation.decisions.benchmark import MOST_RANKED, Benchmark, Outcome, Stored
from evaluation.decisions.metrics import Judged, best_f1
from memory_store.language.word_translation import compared, in_english
from memory_store.retrieval.letters import Letters

Scores: TypeAlias = NDArray[np.float64]
PAPER_COSINE = 0.9
_BEST_ROWS = 3


def baselines(benchmark: Benchmark, embedder: Embedder) -> dict[str, list[Outcome]]:
    """Return the outcomes of each baseline, one per question, by name."""
    plain = _ranked(benchmark, by_plain_sum(benchmark, embedder))
    threshold, f1 = best_f1([Judged(case, one) for case, one in zip(benchmark.questions, plain, strict=True)])
    return {
        "MemPrompt, cosine > 0.9": _used_from(
            _ranked(benchmark, by_meaning(benchmark, embedder)), math.nextafter(PAPER_COSINE, 1.0)
        ),
        "Plain sum, best F1 here": _used_from(plain, threshold if f1 else None),
    }


def by_meaning(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Return cosines with the nearest question of each entry, shape (questions, entries)."""
    asked = embedder.encode([one.question for one in benchmark.questions])
    stored = embedder.encode([question for entry in benchmark.entries for question in entry.questions])
    starts = np.cumsum([0, *(len(entry.questions) for entry in benchmark.entries[:-1])])
    nearest: Scores = np.maximum.reduceat(np.asarray(asked @ stored.T, dtype=np.float64), starts, axis=1)
    return nearest


def by_plain_sum(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Return cosine of meaning plus cosine of character n-grams, nothing fitted; shape (questions, entries).

    Texts are read in English for the first, and folded for the second. An entry scores the mean of its best three rows
    among {question, question with correction, written keys}; without keys its best one.
    """
    rows = [_rows(entry) for entry in benchmark.entries]
    texts = [text for each in rows for text in each]
    asked = [one.question for one in benchmark.questions]
    meaning = embedder.encode(list(map(in_english, asked))) @ embedder.encode(list(map(in_english, texts))).T
    letters = Letters(list(map(compared, texts)))
    scores = np.asarray(meaning + np.array([letters.similarity(compared(one)) for one in asked]), dtype=np.float64)

    ends = np.cumsum([len(each) for each in rows])
    counted = [_BEST_ROWS if entry.keys else 1 for entry in benchmark.entries]
    by_entry = np.split(scores, ends[:-1], axis=1)
    best = [np.sort(part, axis=1)[:, -most:].mean(axis=1) for part, most in zip(by_entry, counted, strict=True)]
    return np.array(best).T


def _rows(entry: Stored) -> list[str]:
    return [*entry.questions, *(f"{question} {entry.feedback}" for question in entry.questions), *entry.keys]


def _ranked(benchmark: Benchmark, scores: Scores) -> list[Outcome]:
    names = [entry.id for entry in benchmark.entries]
    found = []
    for row in scores:
        best = {names[place]: float(row[place]) for place in np.argsort(-row, kind="stable")[:MOST_RANKED]}
        found.append(Outcome(tuple(best), scores=best))
    return found


def _used_from(outcomes: Sequence[Outcome], threshold: float | None) -> list[Outcome]:
    """Return the outcomes with the first candidate used where its score reaches the threshold."""
    return [
        replace(one, used=one.ranked[:1])
        if threshold is not None and one.best is not None and one.best >= threshold
        else one
        for one in outcomes
    ]
