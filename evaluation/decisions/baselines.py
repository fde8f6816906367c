"""What Noted is measured against: the rules of MemPrompt, plain similarity to the stored questions, and a plain sum.

A baseline scores every entry, ranks by that score, and splices the first entry where its score reaches a threshold.
Most take the nearest of the questions that an entry was stored for; the plain sum sees what Noted sees of an entry:
question, correction and written keys. MemPrompt names a threshold for meaning only (a cosine above 0.9, section 3);
where there is none, it is the one with the best F1 on the very questions that are measured, which no real system could
know: this favours the baseline.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assistant.ports import Embedder
from evaluation.cases import MOST_RANKED, Benchmark, Outcome, Stored
from evaluation.decisions.metrics import JudgedCase, best_f1, curve
from memory_store.language.normalize import folded_similarity
from memory_store.language.word_translation import compared, in_english
from memory_store.retrieval.letters import Letters

Scores: TypeAlias = NDArray[np.float64]
PAPER_COSINE = 0.9
BEST_F1 = "best F1 here"
_BEST_ROWS = 3


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline with its outcomes, one per question."""

    name: str
    rule: str  # which threshold it has, in words
    threshold: float | None  # the least score to splice; None where nothing is ever right
    outcomes: tuple[Outcome, ...]


def baselines(benchmark: Benchmark, embedder: Embedder | None) -> list[Baseline]:
    """All baselines; those that compare meaning only with an embedder."""
    spelling = by_spelling(benchmark)
    levenshtein = _at_best_f1("Levenshtein (MemPrompt)", benchmark, spelling)
    if embedder is None:
        return [levenshtein]
    meaning = by_meaning(benchmark, embedder)
    above = math.nextafter(PAPER_COSINE, 1.0)
    return [
        _at(above, "Meaning > 0.9 (MemPrompt)", f"> {PAPER_COSINE}", benchmark, meaning),
        levenshtein,
        _at_best_f1("Meaning", benchmark, meaning),
        _at_best_f1("Meaning + spelling", benchmark, (meaning + spelling) / 2),
        _at_best_f1("Plain sum", benchmark, by_plain_sum(benchmark, embedder)),
    ]


def by_meaning(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Cosines, shape (questions, entries)."""
    asked = embedder.encode([one.question for one in benchmark.questions])
    stored = embedder.encode(_stored(benchmark))
    return _by_entry(benchmark, np.asarray(asked @ stored.T, dtype=np.float64))


def by_spelling(benchmark: Benchmark) -> Scores:
    """1 - Levenshtein distance / length of the longer text, in any case; shape (questions, entries)."""
    stored = [text.casefold() for text in _stored(benchmark)]
    asked = [one.question.casefold() for one in benchmark.questions]
    return _by_entry(benchmark, np.array([[folded_similarity(one, text) for text in stored] for one in asked]))


def by_plain_sum(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Return cosine of meaning plus cosine of character n-grams, nothing fitted; shape (questions, entries).

    Texts are read in English for the first, and folded for the second. An entry scores the mean of its best three rows
    among {question, question with correction, written keys}; without keys its best one.
    """
    rows = [_rows(entry) for entry in benchmark.entries]
    texts = [text for each in rows for text in each]
    asked = [one.question for one in benchmark.questions]
    meaning = embedder.encode(list(map(in_english, asked))) @ embedder.encode(list(map(in_english, texts))).T
    folded, asked_folded = list(map(compared, texts)), list(map(compared, asked))
    ends = np.cumsum([len(each) for each in rows])
    counted = [_BEST_ROWS if entry.keys else 1 for entry in benchmark.entries]

    kept = Letters(folded)
    scores = np.asarray(meaning + np.array([kept.similarity(one) for one in asked_folded]), dtype=np.float64)
    by_entry = np.split(scores, ends[:-1], axis=1)
    best = [np.sort(part, axis=1)[:, -most:].mean(axis=1) for part, most in zip(by_entry, counted, strict=True)]
    return np.array(best).T


def _rows(entry: Stored) -> list[str]:
    return [*entry.questions, *(f"{question} {entry.feedback}" for question in entry.questions), *entry.keys]


def outcomes_of(benchmark: Benchmark, scores: Scores) -> list[Outcome]:
    """The ranking of each question, nothing spliced yet."""
    names = [entry.id for entry in benchmark.entries]
    found = []
    for row in scores:
        best = {names[place]: float(row[place]) for place in np.argsort(-row, kind="stable")[:MOST_RANKED]}
        found.append(Outcome(tuple(best), scores=best))
    return found


def spliced_from(outcomes: Sequence[Outcome], threshold: float | None) -> tuple[Outcome, ...]:
    """The outcomes with the first candidate used where its score reaches the threshold."""

    def used(outcome: Outcome) -> bool:
        return threshold is not None and outcome.best is not None and outcome.best >= threshold

    return tuple(replace(one, used=one.ranked[:1] if used(one) else ()) for one in outcomes)


def _at(threshold: float | None, name: str, rule: str, benchmark: Benchmark, scores: Scores) -> Baseline:
    return Baseline(name, rule, threshold, spliced_from(outcomes_of(benchmark, scores), threshold))


def _at_best_f1(name: str, benchmark: Benchmark, scores: Scores) -> Baseline:
    outcomes = outcomes_of(benchmark, scores)
    pairs = zip(benchmark.questions, outcomes, strict=True)
    best = best_f1(curve([JudgedCase(asked, outcome) for asked, outcome in pairs]))
    threshold = best.threshold if best is not None and best.f1 > 0 else None
    return _at(threshold, name, BEST_F1, benchmark, scores)


def _stored(benchmark: Benchmark) -> list[str]:
    return [question for entry in benchmark.entries for question in entry.questions]


def _by_entry(benchmark: Benchmark, scores: Scores) -> Scores:
    """From a column per stored question to one per entry: its nearest."""
    lengths = [len(entry.questions) for entry in benchmark.entries]
    starts = np.cumsum([0, *lengths[:-1]])
    nearest: Scores = np.maximum.reduceat(scores, starts, axis=1)
    return nearest
