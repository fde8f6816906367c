"""The candidates of every question of the data, with the features that recall gives them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.ports import Embedder
from assistant.types import Candidate, Scope
from memory_store.glossed import READINGS
from memory_store.lookup import indexed_keys
from memory_store.recall import candidates, nearest
from memory_store.segment import Asked, Segment, known
from tools.gate_data import OWNER, Remembered

MOST_SHOWN = 5  # candidates per question; those beyond are never used
_BATCH = 64


def candidates_of(memory: Remembered, embedder: Embedder | None) -> list[Sequence[Candidate]]:
    """For each question what recall would find, in its order."""
    texts = [question.text for question in memory.questions]
    asked = [None] * len(texts) if embedder is None else encoded(embedder, texts)
    segment = segment_of(memory, embedder)
    entries = {entry.id: entry for entry in memory.entries}
    result = []
    for text, vector in zip(texts, asked, strict=True):
        found, _ = nearest([segment], Asked.prepare(text, READINGS.fold(text), READINGS.english(text), known(vector)))
        joined = [(near, entries[near.entry_id]) for near in found[:MOST_SHOWN]]
        result.append(candidates(joined, text, Scope(OWNER)))
    return result


def segment_of(memory: Remembered, embedder: Embedder | None) -> Segment:
    """All texts of a memory, ready to be compared with questions."""
    rows = [row for entry in memory.entries for row in indexed_keys(entry, READINGS)]
    return Segment(rows, None if embedder is None else encoded(embedder, [row.text for row in rows]))


def encoded(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Shape (len(texts), dimension)."""
    return np.concatenate([embedder.encode(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)])
