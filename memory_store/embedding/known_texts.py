"""Vectors of the texts that come with Noted, so that nobody who asks for the first time waits until they are made."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from assistant.ports import Embedder
from memory_store.arrays import Floats

FILE = Path(__file__).with_name("known_texts.npz")


class KnownTexts:
    """The port `Embedder`: another one, with the vectors of the texts of a file made before.

    They count for the embedder that made them only; all other texts, and those of another embedder, are encoded.
    """

    def __init__(self, embedder: Embedder, file: Path = FILE) -> None:
        self._embedder = embedder
        self._file = file
        self.name = embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def encode(self, texts: Sequence[str]) -> Floats:
        found = {text: self._known.get(digest(text)) for text in texts}
        if missing := [text for text, vector in found.items() if vector is None]:
            found |= dict(zip(missing, self._embedder.encode(missing), strict=True))
        vectors: Floats = np.array([found[text] for text in texts], dtype=np.float32)
        return vectors

    @cached_property
    def _known(self) -> dict[int, Floats]:
        with np.load(self._file) as file:
            if str(file["fingerprint"]) != self.fingerprint:
                return {}
            numbers, vectors = file["texts"].tolist(), file["vectors"].astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return dict(zip(numbers, vectors, strict=True))


def save(file: Path, embedder: Embedder, texts: Sequence[str]) -> None:
    """Make the vectors of these texts, in half precision: cosines are right to the fourth place."""
    numbers = np.array([digest(text) for text in texts], dtype=np.uint64)
    vectors = embedder.encode(texts).astype(np.float16)
    np.savez_compressed(file, fingerprint=embedder.fingerprint, texts=numbers, vectors=vectors)


def digest(text: str) -> int:
    """A number by which a text is known."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
