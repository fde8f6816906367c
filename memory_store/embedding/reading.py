"""How texts of other languages are read to an embedder: as they are, or word by word in English, as measured.

A packaged handful of Hindi and Punjabi phrases, in two scripts each, stands beside what they say in English. A phrase
is placed where its English is nearest to it of all. An embedder that places less than half as many as it does when they
are read in English does not know these languages. It takes so much because the phrases are everyday ones, which the
word lists know better than other texts.

The same phrases say how alike two strangers are to an embedder: .1 to one, .75 to another. By that its cosines are
brought onto the scale of the bundled one, for which the gate is fitted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assistant.ports import Embedder
from memory_store.arrays import Floats
from memory_store.embedding.embedder import BUNDLED
from memory_store.language.word_lists import FOLDER
from memory_store.language.word_translation import in_english

PHRASES = Path(__file__).with_name("phrases.tsv")
"""A line for each: English, then Hindi and Punjabi, each in its own script and in Latin letters."""
USUAL = 0.092
"""Mean cosine of two phrases that have nothing to do with each other, of the bundled embedder read in English."""


class Measured(NamedTuple):
    """What the phrases say of an embedder."""

    in_english: bool  # whether texts are read to it in English
    usual: float  # mean cosine of two phrases that have nothing to do with each other


class TranslatedEmbedder:
    """Implements `Embedder`: vectors of another one, of texts as the word lists read them in English."""

    usual = USUAL

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
    """Implements `Embedder`: one that is read to as it is measured to be better, once, and `kept` in a file.

    Until that is known, `fingerprint` and `usual` take what `encode` takes, and raise what it raises.
    """

    def __init__(self, embedder: Embedder, kept: Path | None = None) -> None:
        self._embedder = embedder
        self._kept = kept
        self.name = embedder.name

    @property
    def usual(self) -> float:
        """Mean cosine of two phrases that have nothing to do with each other."""
        return self._measured.usual

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
        return TranslatedEmbedder(self._embedder) if self._measured.in_english else self._embedder

    @cached_property
    def _measured(self) -> Measured:
        by = _digest(PHRASES, *sorted(FOLDER.iterdir()))
        if self._kept:
            with suppress(OSError, ValueError, TypeError, KeyError):
                found = json.loads(self._kept.read_text(encoding="utf-8"))
                if found["by"] == by:
                    return Measured(bool(found["in_english"]), float(found["usual"]))
        measured = measure(self._embedder)
        if self._kept:
            with suppress(OSError):
                self._kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._kept.write_text(json.dumps({"by": by, **measured._asdict()}), encoding="utf-8")
        return measured


def for_memory(embedder: Embedder | None, kept: Path | None = None) -> TranslatedEmbedder | MeasuredEmbedder | None:
    """Return an embedder as memory uses it. The bundled one was measured before it was packaged."""
    if embedder is None:
        return None
    return TranslatedEmbedder(embedder) if embedder.name == BUNDLED else MeasuredEmbedder(embedder, kept)


def on_scale(cosine: float, embedder: Embedder | None) -> float:
    """Bring a cosine of an embedder onto the scale of the bundled one: 1 stays, and strangers are as usual there."""
    return 1 - (1 - cosine) * (1 - USUAL) / (1 - getattr(embedder, "usual", USUAL))


def measure(embedder: Embedder) -> Measured:
    """Say of an embedder what the phrases say. Raises what its `encode` does, and ValueError."""
    meant, *columns = zip(*(line.split("\t") for line in PHRASES.read_text(encoding="utf-8").splitlines()), strict=True)
    phrases = [phrase for column in columns for phrase in column]
    vectors = embedder.encode([*meant, *phrases, *map(in_english, phrases)])
    if not np.isfinite(vectors).all():
        raise ValueError("The embedder gives what is no number.")
    english, ways = vectors[: len(meant)], vectors[len(meant) :].reshape(2, len(phrases), -1)
    cosines = ways @ english.T
    is_own = np.arange(len(phrases))[:, None] % len(meant) == np.arange(len(meant))
    as_they_are, translated = (is_own[np.arange(len(phrases)), way.argmax(axis=1)].sum() for way in cosines)
    is_better = bool(2 * as_they_are < translated)
    return Measured(is_better, float(np.clip(cosines[int(is_better)], 0, 1)[~is_own].mean()))


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
