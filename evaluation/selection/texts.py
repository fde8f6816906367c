"""Texts as the scorers compare them: read once, folded once, embedded once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

from assistant.ports import Embedder
from assistant.text.sentences import sentences_of
from evaluation.gate.fitting import encoded
from evaluation.selection.questions import Asked
from memory_store.language.normalize import fold

Floats = NDArray[np.float32]


class Vectors:
    """Of texts, each embedded once."""

    def __init__(self, embedder: Embedder, texts: Iterable[str]) -> None:
        each = list(dict.fromkeys(texts))
        self._row = {text: at for at, text in enumerate(each)}
        self._vectors = encoded(embedder, each)

    def __call__(self, texts: Iterable[str]) -> Floats:
        """Shape (texts, dimension), each row of length 1."""
        return self._vectors[[self._row[text] for text in texts]]


def parts_of(text: str) -> list[str]:
    """Its sentences, and each two that follow each other, without its line breaks."""
    sentences = sentences_of(" ".join(text.split()))
    return [*sentences, *(f"{first} {second}" for first, second in pairwise(sentences))]


def texts_of(asked: Iterable[Asked]) -> Iterable[str]:
    """All that is embedded."""
    for one in asked:
        yield from (one.question, *one.answers, *parts_of(one.text))


@dataclass(slots=True)
class Rarity:
    """How much a word says: the logarithm of the share of texts without it, turned round (idf)."""

    texts: int
    having: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Rarity:
        found = cls(0)
        for text in set(texts):
            found.texts += 1
            for word in set(fold(text).split()):
                found.having[word] = found.having.get(word, 0) + 1
        return found

    def __call__(self, words: Iterable[str]) -> float:
        """The sum over words in their folded form."""
        return sum(log((self.texts + 1) / (self.having.get(word, 0) + 1)) for word in words)
