"""Vectors of the texts that come with Noted, so that nobody who asks for the first time waits until they are made."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from assistant.ports import Embedder
from memory_store.language.terms import Floats

FILE = Path(__file__).with_name("known_texts.npz")


class KnownTexts:
    """The port `Embedder`: another one, with the vectors of the texts of a file made before.

    They count for the embedder that made them only; all other texts, and those of another embedder, are encoded.
    """

    def __init__(self, embedder: Embedder, file: Path = FILE) -> None:
        self._embedder = embedder
        self._file = file
        self.name, self.dimension = embedder.name, embedder.dimension

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def encode(self, texts: Sequence[str]) -> Floats:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        places = [self._places.get(digest(text)) for text in texts]
        missing = [at for at, place in enumerate(places) if place is None]
        if missing:
            vectors[missing] = self._embedder.encode([texts[at] for at in missing])
        known = [at for at, place in enumerate(places) if place is not None]
        vectors[known] = self._vectors[[place for place in places if place is not None]]
        return vectors

    @cached_property
    def _places(self) -> dict[int, int]:
        with np.load(self._file) as file:
            is_of_it = str(file["fingerprint"]) == self.fingerprint
            return {number: place for place, number in enumerate(file["texts"].tolist())} if is_of_it else {}

    @cached_property
    def _vectors(self) -> Floats:
        with np.load(self._file) as file:
            vectors: Floats = file["vectors"].astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def save(file: Path, embedder: Embedder, texts: Sequence[str]) -> None:
    """Make the vectors of these texts, in half precision: cosines are right to the fourth place."""
    numbers = np.array([digest(text) for text in texts], dtype=np.uint64)
    vectors = embedder.encode(texts).astype(np.float16)
    np.savez_compressed(file, fingerprint=embedder.fingerprint, texts=numbers, vectors=vectors)


def digest(text: str) -> int:
    """A number by which a text is known."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
