"""An embedder for tests of thresholds, with given cosines between texts."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_OWN = 48  # directions of unrelated texts, by hash


class SimilarWordsEmbedder:
    """Implements `Embedder`. `like` maps a text to another one and their cosine."""

    name = "likenesses"
    fingerprint = "likenesses"
    dimension = 2 * _OWN

    def __init__(self, like: Mapping[str, tuple[str, float]]) -> None:
        self._like = like
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        other, cosine = self._like.get(text, (text, 1.0))
        vector = np.zeros(self.dimension, dtype=np.float32)
        vector[_direction(other)] = cosine
        vector[_OWN + _direction(text)] = np.sqrt(1 - cosine**2)
        return vector


def _direction(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) % _OWN
