"""An embedder that reads every text in English first, for models that know no other language."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.ports import Embedder
from memory_store.embedder import BUNDLED
from memory_store.gloss import FOLDER, in_english, in_english_spelling
from memory_store.lookup import Readings
from memory_store.surface import fold

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_ENGLISH_ONLY = frozenset({BUNDLED})


def compared(text: str) -> str:
    """`fold`, with English words that were written by ear in another script as English spells them."""
    return fold(in_english_spelling(text))


READINGS = Readings(compared, in_english)
"""How Noted makes texts comparable."""


class GlossedEmbedder:
    """Implements `Embedder`: the vectors of another one, of the texts as they read in English.

    Args:
        embedder: knows English only.
        english: text to its English reading.
        folder: the word lists that the reading rests on; with other lists, vectors are others.
    """

    def __init__(self, embedder: Embedder, english: Callable[[str], str] = in_english, folder: Path = FOLDER) -> None:
        self._embedder = embedder
        self._english = english
        self._folder = folder

    @property
    def name(self) -> str:
        """What people call it."""
        return self._embedder.name

    @property
    def fingerprint(self) -> str:
        """Changes with the embedder and with the word lists."""
        lists = hashlib.sha256()
        for path in sorted(self._folder.iterdir()):
            lists.update(path.read_bytes())
        return f"{self._embedder.fingerprint} {lists.hexdigest()[:12]}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        """Shape (len(texts), dimension)."""
        return self._embedder.encode([self._english(text) for text in texts])


def for_memory(embedder: Embedder | None) -> Embedder | None:
    """The embedder as memory uses it: one that knows English only gets every text in English."""
    return GlossedEmbedder(embedder) if embedder is not None and embedder.name in _ENGLISH_ONLY else embedder
