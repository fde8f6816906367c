"""BM25 (Robertson and Zaragoza, 2009) over words that a space divides. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

_K1, _B = 1.2, 0.75


class BM25:
    """Scores texts against the words of a question.

    Args:
        documents: the texts; what is a word in them is a word in the questions.
    """

    def __init__(self, documents: Sequence[str]) -> None:
        counts = [Counter(document.split()) for document in documents]
        found_in = Counter(word for count in counts for word in count)
        mean = sum(count.total() for count in counts) / len(counts) if counts else 0.0
        self._size = len(counts)
        self._weights: dict[str, dict[int, float]] = {word: {} for word in found_in}
        for place, count in enumerate(counts):
            for word, times in count.items():
                rarity = math.log(1 + (self._size - found_in[word] + 0.5) / (found_in[word] + 0.5))
                length = _K1 * (1 - _B + _B * count.total() / mean)
                self._weights[word][place] = rarity * times * (_K1 + 1) / (times + length)

    def scores(self, question: str) -> list[float]:
        """One score per text, 0 without a common word."""
        found = [0.0] * self._size
        for word, times in Counter(question.split()).items():
            for place, weight in self._weights.get(word, {}).items():
                found[place] += times * weight
        return found
