"""Adapt an embedder for memory: translate texts for it, and rescale its cosines.

The bundled embedder knows English only, so texts are first translated word by word; other embedders get them unchanged.
Cosines of two models are not comparable: unrelated texts have .1 with one model and .75 with another. So this mean is
measured once, and cosines are mapped to the scale of the bundled embedder, for which the gate is fitted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from assistant.ports import Embedder
from memory_store.arrays import Floats
from memory_store.embedding.embedder import BUNDLED
from memory_store.language.word_translation import FOLDER, translate_to_english

UNRELATED_COSINE = 0.086  # of the bundled embedder
_UNRELATED_TEXTS = (
    *("What is the weather today?", "My younger brother lives in the village.", "How much does this cloth cost?"),
    *("Who wrote this book?", "How do I cook rice?", "My head hurts.", "What is the opposite of hot?"),
    *("Write a letter to my teacher.", "How many days are left until the wedding?", "I forgot her name."),
    *("The shop is closed on Sunday.", "Why is the child crying?"),
)


class MemoryEmbedder:
    """Implements `Embedder` by another embedder, with translation for the bundled one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self._in_english = embedder.name == BUNDLED

    @cached_property
    def unrelated_cosine(self) -> float:
        """Return the mean cosine of unrelated texts. Raises what `encode` raises."""
        return UNRELATED_COSINE if self.name == BUNDLED else measure_unrelated_cosine(self._embedder)

    @property
    def fingerprint(self) -> str:
        if not self._in_english:
            return self._embedder.fingerprint
        lists = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(FOLDER.iterdir())))
        return f"{self._embedder.fingerprint} {lists.hexdigest()[:12]}"

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def encode(self, texts: Sequence[str]) -> Floats:
        return self._embedder.encode([translate_to_english(text) for text in texts] if self._in_english else texts)


def calibrate(cosine: float, usual: float) -> float:
    """Map a cosine to the scale of the bundled embedder: 1 stays 1, and `usual` becomes `UNRELATED_COSINE`."""
    return max(0.0, 1 - (1 - cosine) * (1 - UNRELATED_COSINE) / (1 - usual))


def measure_unrelated_cosine(embedder: Embedder) -> float:
    """Return the mean cosine of unrelated texts. Raises what `encode` raises."""
    vectors = embedder.encode(_UNRELATED_TEXTS)
    cosines = np.clip(vectors @ vectors.T, 0, 1)
    return float(cosines[~np.eye(len(cosines), dtype=bool)].mean())
