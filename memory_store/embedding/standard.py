"""A scale for the similarities of any embedder: how far each stands above what is usual for its question.

Cosines of two embedders cannot be compared: strangers have .05 in one and .75 in another. So a similarity is counted in
standard deviations above the mean of the question's similarities with a background of texts that are the same
everywhere (test normalisation of speaker verification: Auckenthaler, Carey and Lloyd-Thomas, 2000). What is remembered
is no part of the background: a first entry would have nothing to stand above, and one entry would tell on another.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from assistant.ports import Embedder
from memory_store.background import begin
from memory_store.embedding import kept_vectors
from memory_store.language.terms import Floats

BACKGROUND = Path(__file__).with_name("background.txt")
"""Everyday questions and questions about words, in English, Hindi and Punjabi, one a line."""

_WHOLE = 10.0  # standard deviations that count as the same text; with the bundled embedder it is about as many
_LEAST = 1e-4  # a spread below this is none, as of a text in which an embedder knows no word

_log = logging.getLogger(__name__)


Scale: TypeAlias = Callable[[Floats, Floats], Floats]
"""From the vector of a question and its cosines with some rows to how alike they are, in [0, 1]."""


def as_they_are(_vector: Floats, cosines: Floats) -> Floats:
    """The scale of an embedder that the gate was fitted on."""
    return cosines


class StandardScale:
    """A `Scale` for an embedder that the gate was not fitted on. The background is embedded once, and `kept` in a file.

    While the embedder fails there, nothing is known of meaning: NaN, as without an embedder.
    """

    def __init__(self, embedder: Embedder, background: Path = BACKGROUND, kept: Path | None = None) -> None:
        self._embedder = embedder
        self._kept = kept
        self._texts = background.read_text(encoding="utf-8").splitlines()
        self._vectors: Floats | None = None
        self._making = threading.Lock()

    def start(self) -> None:
        """Embed the background in a thread of its own."""
        begin("background", self._background)

    def __call__(self, vector: Floats, cosines: Floats) -> Floats:
        """As the type; both of them are of length 1 or cosines, and what comes is of the shape of `cosines`."""
        background = self._background(len(vector))
        if background is None:
            return np.full_like(cosines, np.nan)
        usual = np.vecdot(background, vector)
        spread = max(float(usual.std()), _LEAST)
        scaled: Floats = np.clip((cosines - usual.mean()) / (spread * _WHOLE), 0.0, 1.0).astype(np.float32)
        return scaled

    def _background(self, dimension: int = 0) -> Floats | None:
        """Of this dimension, or of any."""

        def fits(vectors: Floats | None) -> bool:
            return vectors is not None and vectors.shape[1] == (dimension or vectors.shape[1])

        with self._making:
            if not fits(self._vectors):
                self._vectors = self._found(fits)
            return self._vectors if fits(self._vectors) else None

    def _found(self, fits: Callable[[Floats | None], bool]) -> Floats | None:
        """Those that were kept, where they fit, else new ones."""
        try:
            fingerprint = self._embedder.fingerprint
            kept = kept_vectors.read(self._kept, self._texts, fingerprint) if self._kept else None
            if fits(kept):
                return kept
            vectors = np.ascontiguousarray(self._embedder.encode(self._texts))
        except Exception as error:  # an embedder may fail in any way; the rest still finds
            _log.warning("Meaning was not compared: %s", error)
            return None
        if not np.isfinite(vectors).all():
            return None
        if self._kept:
            kept_vectors.keep(self._kept, self._texts, fingerprint, vectors)
        return vectors
