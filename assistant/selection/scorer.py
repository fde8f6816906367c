"""The port of selection: something that scores the samples of one request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Against:
    """What samples are scored against."""

    context: str  # the text that they are about
    answer: str = ""  # the answer that a sampled question is to have


class Scorer(Protocol):
    """Scores samples; the more, the better. Only scores of one call are compared with each other."""

    def __call__(self, samples: Sequence[str], against: Against) -> Sequence[float]:
        """One finite score for each sample, in their order."""
