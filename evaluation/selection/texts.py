"""Texts as the scorers compare them: embedded once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from assistant.ports import Embedder
from evaluation.gate.fitting import encoded

Floats = NDArray[np.float32]


class Vectors:
    """Vectors of texts, each embedded once."""

    def __init__(self, embedder: Embedder, texts: Iterable[str]) -> None:
        each = list(dict.fromkeys(texts))
        self._row = {text: at for at, text in enumerate(each)}
        self._vectors = encoded(embedder, each)

    def __call__(self, texts: Iterable[str]) -> Floats:
        """Return an array of shape (texts, dimension), each row of length 1."""
        return self._vectors[[self._row[text] for text in texts]]
