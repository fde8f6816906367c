"""Samples by the n-grams that they share with a text (Yuan et al., 2023, section 3, equation 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.papers.selection.scorer import Sample

SIZES = range(1, 6)
"""The n of the paper."""

Fold = Callable[[str], str]
"""A text in the form in which it is compared: words with one space between them."""


@dataclass(frozen=True, slots=True)
class NGrams:
    """Scores a sample by the share of its unique n-grams that its context has."""

    size: int  # n, in words
    fold: Fold

    def __call__(self, samples: Sequence[Sample]) -> Sequence[float]:
        """The shares, each in [0, 1]."""
        theirs = {sample.context: self._of(sample.context) for sample in samples}
        return [share(self._of(sample.text), theirs[sample.context]) for sample in samples]

    def _of(self, text: str) -> set[tuple[str, ...]]:
        return ngrams(self.fold(text), self.size)


def ngrams(folded: str, size: int) -> set[tuple[str, ...]]:
    """The unique n-grams of a folded text, each of so many words."""
    words = folded.split()
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def share(ours: set[tuple[str, ...]], theirs: set[tuple[str, ...]]) -> float:
    """|theirs ∩ ours| / |ours|; 0 where there are none of ours."""
    return len(ours & theirs) / len(ours) if ours else 0.0


def likeness(ours: str, theirs: str) -> float:
    """F1 of the unique words of two folded texts: the harmonic mean of the two shares; 0 where they share none."""
    one, other = ngrams(ours, 1), ngrams(theirs, 1)
    return 2 * len(one & other) / (len(one) + len(other)) if one & other else 0.0
