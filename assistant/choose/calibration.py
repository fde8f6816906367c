"""How features become a probability: an additive logistic regression with one monotone curve per feature.

A similarity says little until it is large, and then much, so each feature has a curve of straight pieces instead of one
weight (a generalized additive model; Hastie and Tibshirani, 1986). It never falls where it should rise. Pure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Evidence(StrEnum):
    """What an entry can be found by: its question alone, several questions, or further keys that a model wrote."""

    QUESTION = "question"
    QUESTIONS = "questions"
    FURTHER = "further"

    @classmethod
    def of(cls, scores: Mapping[str, float]) -> Self:
        """Told by which features could be computed."""
        if "further_ngrams" in scores:
            return cls.FURTHER
        return cls.QUESTIONS if "second_ngrams" in scores else cls.QUESTION


@dataclass(frozen=True, slots=True)
class Calibration:
    """How features become a probability and a decision."""

    intercept: float  # log odds where every feature is 0
    # feature to its log odds at evenly spaced values from 0 to 1, with straight lines between them. They begin at 0;
    # only what speaks against an entry falls, all else rises
    curves: Mapping[str, Sequence[float]]
    use: float  # least probability to splice an entry next to the question
    offer: float  # least probability to offer it to the model
    show: float = 0.02  # the same for a model that chooses, where it was found by its meaning (docs/decisions/0029)

    def probability(self, scores: Mapping[str, float]) -> float:
        """How probable it is, 0 to 1, that an entry with these features is wanted."""
        return 1 / (1 + math.exp(-self.log_odds(scores)))

    def log_odds(self, scores: Mapping[str, float]) -> float:
        """The odds as a logarithm. What is 0 adds nothing, for every curve begins at 0."""
        total = 0.0
        for name, curve in self.curves.items():
            if value := scores.get(name):
                total += _height(curve, value)
        return self.intercept + total

    def strongest(self, names: Iterable[str], scores: Mapping[str, float]) -> str:
        """Of these features, the one that says most for the entry."""
        return max(names, key=lambda name: _height(self.curves.get(name, (0.0, 0.0)), scores.get(name, 0.0)))


def _height(curve: Sequence[float], value: float) -> float:
    """The curve at a value in [0, 1]."""
    if value <= 0.0:
        return curve[0]
    pieces = len(curve) - 1
    place = value * pieces if value < 1.0 else pieces
    left = int(place) if place < pieces else pieces - 1
    return curve[left] + (place - left) * (curve[left + 1] - curve[left])
