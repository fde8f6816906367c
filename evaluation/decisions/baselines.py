"""Baselines for Noted: the rule of MemPrompt, embedding search, a plain sum, and mem0 if installed.

A baseline scores every entry, ranks by score, and uses the first entry if its score reaches a threshold. MemPrompt's
threshold is from the paper (section 3); the others' have the best F1 on the first set, with its keys.
"""

from __future__ import annotations

import atexit
import importlib.util
import math
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assistant.ports import Embedder
from evaluation.decisions.benchmark import MOST_RANKED, Benchmark, CaseOutcome, StoredEntry
from memory_store.language.letters import compare_letters, measure_letters
from memory_store.language.word_translation import fold_for_comparison, translate_to_english

Scores: TypeAlias = NDArray[np.float64]
_BEST_ROWS = 3
MEM0 = "mem0"
WITHOUT_MEM0 = "mem0 is not installed, so it has no row; `pip install mem0ai` adds it."


@dataclass(frozen=True, slots=True)
class Baseline:
    """A method to score entries for questions, and the threshold from which the first entry is used."""

    scores: Callable[[Benchmark, Embedder], Scores]  # shape (questions, entries)
    threshold: float

    def outcomes(self, benchmark: Benchmark, embedder: Embedder) -> list[CaseOutcome]:
        """Return the outcome of each question."""
        names, found = [entry.id for entry in benchmark.entries], []
        for row in self.scores(benchmark, embedder):
            best = {names[at]: float(row[at]) for at in np.argsort(-row, kind="stable")[:MOST_RANKED]}
            ranked = tuple(best)
            found.append(CaseOutcome(ranked, ranked[: best[ranked[0]] >= self.threshold], scores=best))
        return found


def score_by_question(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Return the cosine with the question of each entry."""
    return _best(_cosines(benchmark, embedder, lambda entry: [entry.question]), 1)


def score_by_meaning(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Return the cosine with the nearest text of each entry, as vector stores search."""
    return _best(_cosines(benchmark, embedder, _rows), 1)


def score_by_plain_sum(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Return the cosine of meaning plus the cosine of character n-grams; only the rarity of n-grams is fitted.

    Texts are translated to English for the first, and folded for the second. An entry scores the mean of its best three
    rows among {question, question with correction, written keys}; without keys, the best row.
    """
    rows = [_rows(entry) for entry in benchmark.entries]
    texts = [text for each in rows for text in each]
    asked = [one.question for one in benchmark.questions]
    stored, questions = (embedder.encode([*map(translate_to_english, some)]) for some in (texts, asked))
    folded = [*map(fold_for_comparison, texts)]
    lengths = measure_letters(folded).tolist()
    letters = [compare_letters(fold_for_comparison(one), folded, lengths) for one in asked]
    scores = questions @ stored.T + np.array(letters)
    parts = np.split(scores, np.cumsum([len(each) for each in rows])[:-1], axis=1)
    return np.hstack(
        [_best([part], _BEST_ROWS if entry.keys else 1) for entry, part in zip(benchmark.entries, parts, strict=True)]
    )


def score_by_mem0(benchmark: Benchmark, embedder: Embedder) -> Scores:
    """Return the scores of mem0's search (version 2), which stores texts unchanged and uses this embedder."""
    memory, user = _open_mem0(embedder.dimension), str(uuid.uuid4())
    memory.embedding_model = _Mem0Embedder(embedder)
    for at, entry in enumerate(benchmark.entries):
        text = f"{entry.question} {entry.feedback}"
        memory.add(text, user_id=user, infer=False, metadata={"entry": at})
    scores = np.zeros((len(benchmark.questions), len(benchmark.entries)))
    for row, case in zip(scores, benchmark.questions, strict=True):
        for one in memory.search(case.question, filters={"user_id": user}, top_k=MOST_RANKED)["results"]:
            row[one["metadata"]["entry"]] = one["score"]
    return scores


BASELINES: Mapping[str, Baseline] = {
    "MemPrompt, cosine > 0.9": Baseline(score_by_question, math.nextafter(0.9, 1.0)),
    "embedding search": Baseline(score_by_meaning, 0.42),
    "plain sum": Baseline(score_by_plain_sum, 0.55),
    MEM0: Baseline(score_by_mem0, 0.30),
}


def find_baselines() -> dict[str, Baseline]:
    """Return the baselines that are installed."""
    left_out = set() if importlib.util.find_spec("mem0") else {MEM0}
    return {name: one for name, one in BASELINES.items() if name not in left_out}


def _rows(entry: StoredEntry) -> Sequence[str]:
    return [entry.question, f"{entry.question} {entry.feedback}", *entry.keys]


def _cosines(
    benchmark: Benchmark, embedder: Embedder, rows: Callable[[StoredEntry], Sequence[str]]
) -> list[NDArray[np.float32]]:
    """Return, per entry, the cosines of questions with its texts, of shape (questions, texts)."""
    texts = [rows(entry) for entry in benchmark.entries]
    stored = embedder.encode([text for some in texts for text in some])
    cosines = embedder.encode([one.question for one in benchmark.questions]) @ stored.T
    return np.split(cosines, np.cumsum([len(some) for some in texts])[:-1], axis=1)


def _best(by_entry: Sequence[NDArray[Any]], most: int) -> Scores:
    """Return the mean of the `most` best scores per entry, from arrays of shape (questions, texts of the entry)."""
    return np.stack([np.sort(part, axis=1)[:, -most:].mean(axis=1) for part in by_entry], axis=1).astype(np.float64)


@cache
def _open_mem0(dimension: int) -> Any:
    """Return a mem0 memory in a temporary folder; its users are separate."""
    folder = Path(tempfile.mkdtemp(prefix="noted-evaluation-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "mem0")}
    from mem0 import Memory  # type: ignore[import-not-found,unused-ignore]

    vectors = {"collection_name": "memories", "path": str(folder / "vectors"), "on_disk": True}
    never_asked = {"provider": "openai", "config": {"api_key": "none"}}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": {**vectors, "embedding_model_dims": dimension}},
            "embedder": never_asked,
            "llm": never_asked,
            "history_db_path": str(folder / "history.db"),
        }
    )
    atexit.register(memory.vector_store.client.close)
    return memory


@dataclass(frozen=True, slots=True)
class _Mem0Embedder:
    """Adapts an embedder to mem0."""

    embedder: Embedder

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        vector: list[float] = self.embedder.encode([text])[0].tolist()
        return vector
