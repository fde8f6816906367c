"""The port of selection: something that scores the samples of one request; and what several scorers say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.errors import NotedError, TooOften


@dataclass(frozen=True, slots=True)
class Sample:
    """A text that was written, and what it is scored against."""

    text: str
    context: str  # the text that it is about
    answer: str = ""  # the one that a sampled question is to have; of a sampled answer, what it took the question for


class Scorer(Protocol):
    """Scores samples; the more, the better. Only scores of one call are compared with each other."""

    def __call__(self, samples: Sequence[Sample]) -> Sequence[float]:
        """One finite score for each sample, in their order; none at all where it has nothing to go by.

        One that asks a model raises NotedError.
        """


def all_scores(samples: Sequence[Sample], scorers: Mapping[str, Scorer]) -> dict[str, Sequence[float]]:
    """What each scorer says, by its name, where there is a choice.

    Those are left out that say nothing or may not ask so much; once a call fails, none is asked any more.
    """
    found: dict[str, Sequence[float]] = {}
    for name, score in scorers.items() if len(samples) > 1 else ():
        try:
            scores = score(samples)
        except TooOften:
            continue
        except NotedError:
            break
        if scores:
            found[name] = scores
    return found
