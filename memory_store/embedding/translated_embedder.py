"""An embedder that reads every text in English first, for models that know no other language."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from assistant.ports import Embedder
from memory_store.embedding.embedder import BUNDLED
from memory_store.language.terms import Floats
from memory_store.language.word_translation import FOLDER, in_english


class TranslatedEmbedder:
    """The port `Embedder`: vectors of one that knows English only, of texts as they read by the lists in `folder`."""

    def __init__(self, embedder: Embedder, english: Callable[[str], str] = in_english, folder: Path = FOLDER) -> None:
        self._embedder = embedder
        self._english = english
        self._folder = folder
        self.name = embedder.name

    @property
    def fingerprint(self) -> str:
        lists = hashlib.sha256()
        for path in sorted(self._folder.iterdir()):
            lists.update(path.read_bytes())
        return f"{self._embedder.fingerprint} {lists.hexdigest()[:12]}"

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def encode(self, texts: Sequence[str]) -> Floats:
        return self._embedder.encode([self._english(text) for text in texts])


def for_memory(embedder: Embedder | None) -> Embedder | None:
    """The embedder as memory uses it: one that knows English only gets every text in English."""
    return TranslatedEmbedder(embedder) if embedder is not None and embedder.name == BUNDLED else embedder
