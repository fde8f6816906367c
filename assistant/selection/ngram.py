"""Samples by the n-grams that they share with a text (Yuan et al., 2023, section 3, equation 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.selection.scorer import Against

SIZES = range(1, 6)
"""The n of the paper."""

Fold = Callable[[str], str]
"""A text in the form in which it is compared: words with one space between them."""


@dataclass(frozen=True, slots=True)
class NGrams:
    """Scores a sample by the share of its unique n-grams that a text has."""

    size: int  # n, in words
    fold: Fold
    text_of: Callable[[Against], str]  # which of what it is scored against

    def __call__(self, samples: Sequence[str], against: Against) -> Sequence[float]:
        """The shares, each in [0, 1]."""
        theirs = ngrams(self.fold(self.text_of(against)), self.size)
        return [share(ngrams(self.fold(sample), self.size), theirs) for sample in samples]


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
