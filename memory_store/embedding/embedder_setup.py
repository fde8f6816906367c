"""The embedder of the settings: for the app, for the embedded model, and adapted for memory.

The bundled embedder knows English only, so memory first translates texts word by word; other embedders get them
unchanged. Cosines of two models are not comparable: unrelated texts have .1 with one model and .75 with another. So
this mean is measured once, and cosines are mapped to the scale of the bundled embedder, for which the gate is fitted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assistant.ports import Embedder
from assistant.settings import Settings
from memory_store.arrays import Floats
from memory_store.embedding.embedder import BUNDLED, NONE, EmbedderChoice, SentenceEmbedder, choose_embedder
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
        if self._in_english:
            return UNRELATED_COSINE
        vectors = self._embedder.encode(_UNRELATED_TEXTS)
        cosines = np.clip(vectors @ vectors.T, 0, 1)
        return float(cosines[~np.eye(len(cosines), dtype=bool)].mean())

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


def calibrate(cosines: NDArray[np.float64], usual: float) -> NDArray[np.float64]:
    """Map cosines to the scale of the bundled embedder, in [0, 1]: `usual` becomes `UNRELATED_COSINE`."""
    # The cosine of two equal float32 vectors may be slightly above 1.
    return np.clip(1 - (1 - cosines) * (1 - UNRELATED_COSINE) / (1 - usual), 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class EmbedderSetup:
    """The chosen embedder, and the one for the embedded model, whose thresholds fit the bundled one."""

    choice: EmbedderChoice
    embedder: SentenceEmbedder | None  # None for spelling only
    here: SentenceEmbedder | None  # None if the bundled one is missing


def set_up_embedder(settings: Settings) -> EmbedderSetup:
    """Return the embedder of these settings without loading it."""
    choice = choose_embedder(settings.embedder)
    if choice.name == BUNDLED:
        bundled = SentenceEmbedder(choice)
        return EmbedderSetup(choice, bundled, bundled)
    found = choose_embedder(BUNDLED)
    here = SentenceEmbedder(found) if found.path and choice.name != NONE else None
    return EmbedderSetup(choice, SentenceEmbedder(choice) if choice.path else None, here)
