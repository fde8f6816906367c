"""Results of fitting the gate for an embedder: decisions on the packaged sets, beside the bundled embedder."""

from collections.abc import Sequence
from dataclasses import dataclass

USUAL_EVERY = 3
"""Fit on one of so many packaged questions; a larger number is quicker and less exact."""


@dataclass(frozen=True, slots=True)
class SetRow:
    """How good decisions are on one packaged set, as shares of its questions."""

    first: float  # of the questions that need an entry, with the right one first
    f1: float  # the best over all thresholds
    everyday: float  # of the everyday questions, with anything spliced
    look_alikes: float  # of the look-alikes, with anything spliced


@dataclass(frozen=True, slots=True)
class Comparison:
    """One set, by the embedder that was fitted and by the bundled one."""

    name: str  # of the set
    fitted: SetRow
    bundled: SetRow


@dataclass(frozen=True, slots=True)
class Fitting:
    """What was found of an embedder before it was fitted, and by what was fitted for it."""

    as_they_are: float  # mean best F1 on the sets before, where texts are read to it as they are
    in_english: float  # the same, where they are read word by word in English
    sets: Sequence[Comparison]  # after, read as was better

    @property
    def english(self) -> bool:
        """Whether texts are read to it in English."""
        return self.in_english > self.as_they_are
