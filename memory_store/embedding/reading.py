"""How texts of other languages are read to an embedder: as they are, or word by word in English, as measured.

A packaged handful of Hindi and Punjabi phrases, in two scripts each, stands beside what they say in English. A phrase
is placed where its English is nearest to it of all. An embedder that places less than half as many as it does when they
are read in English does not know these languages. It takes so much because the phrases are everyday ones, which the
word lists know better than other texts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np

from assistant.ports import Embedder
from memory_store.embedding.embedder import BUNDLED
from memory_store.language.terms import Floats
from memory_store.language.word_lists import FOLDER
from memory_store.language.word_translation import in_english

PHRASES = Path(__file__).with_name("phrases.tsv")
"""A line for each: English, then Hindi and Punjabi, each in its own script and in Latin letters."""


class TranslatedEmbedder:
    """The port `Embedder`: vectors of one, of texts as the word lists read them in English."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name

    @property
    def fingerprint(self) -> str:
        return f"{self._embedder.fingerprint} {_digest(*sorted(FOLDER.iterdir()))}"

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def encode(self, texts: Sequence[str]) -> Floats:
        return self._embedder.encode([in_english(text) for text in texts])


class MeasuredEmbedder:
    """The port `Embedder`: one that is read to as it is measured to be better, once, and `kept` in a file.

    Until that is known, `fingerprint` takes what `encode` takes, and raises what it raises.
    """

    def __init__(self, embedder: Embedder, kept: Path | None = None) -> None:
        self._embedder = embedder
        self._kept = kept
        self.name = embedder.name

    @property
    def is_measured(self) -> bool:
        """Whether it is known already."""
        return "_read" in vars(self) or self._read_before() is not None

    @property
    def fingerprint(self) -> str:
        return self._read.fingerprint

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def encode(self, texts: Sequence[str]) -> Floats:
        return self._read.encode(texts)

    @cached_property
    def _read(self) -> Embedder:
        is_better = self._read_before()
        if is_better is None:
            is_better = is_better_in_english(self._embedder)
            self._keep(is_better=is_better)
        return TranslatedEmbedder(self._embedder) if is_better else self._embedder

    def _read_before(self) -> bool | None:
        """What was measured with the same phrases and word lists; None where nothing was, or the file is damaged."""
        if self._kept:
            with suppress(OSError, ValueError, TypeError, KeyError):
                found = json.loads(self._kept.read_text(encoding="utf-8"))
                return bool(found["in_english"]) if found["by"] == _measure() else None
        return None

    def _keep(self, *, is_better: bool) -> None:
        if self._kept:
            with suppress(OSError):
                self._kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._kept.write_text(json.dumps({"by": _measure(), "in_english": is_better}), encoding="utf-8")


def for_memory(embedder: Embedder | None, kept: Path | None = None, *, english: bool | None = None) -> Embedder | None:
    """The embedder as memory uses it: texts are read to it in `english` or not, None for as it is measured.

    The bundled one was measured before it was packaged.
    """
    if embedder is None:
        return None
    if english is None and embedder.name != BUNDLED:
        return MeasuredEmbedder(embedder, kept)
    return embedder if english is False else TranslatedEmbedder(embedder)


def is_better_in_english(embedder: Embedder) -> bool:
    """Whether it does not know the languages of the phrases. Raises what its `encode` does, and ValueError."""
    meant, *columns = zip(*(line.split("\t") for line in PHRASES.read_text(encoding="utf-8").splitlines()), strict=True)
    phrases = [phrase for column in columns for phrase in column]
    vectors = embedder.encode([*meant, *phrases, *map(in_english, phrases)])
    if not np.isfinite(vectors).all():
        raise ValueError("The embedder gives what is no number.")
    english, ways = vectors[: len(meant)], vectors[len(meant) :].reshape(2, len(phrases), -1)
    nearest = (ways @ english.T).argmax(axis=2)
    as_they_are, translated = (nearest == np.arange(len(phrases)) % len(meant)).sum(axis=1)
    return bool(2 * as_they_are < translated)


def _measure() -> str:
    return _digest(PHRASES, *sorted(FOLDER.iterdir()))


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
