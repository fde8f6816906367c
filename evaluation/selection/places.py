"""Scorers that look for the place of a text where a question and its answer stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assistant.papers.selection.scores import Sample, Scorer
from evaluation.selection.texts import Rarity, Vectors, parts_of
from memory_store.language.normalize import fold

Floats = NDArray[np.float64]
_SHARP = 0.1  # of the softmax over places: how little nearer a place has to be


@dataclass(frozen=True, slots=True)
class Near:
    """How near a question and an answer are to each part of a text; shape (parts,) each."""

    asked: Floats  # share of the question's words that stand there, by their rarity, without those of the answer
    asked_meaning: Floats  # cosine
    answered: Floats  # share of the answer's words that stand there, by their rarity
    answered_meaning: Floats

    @property
    def around_the_question(self) -> float:
        """How near the answer is to where the question is."""
        return _weighed(self.asked + self.asked_meaning, self.answered + self.answered_meaning)

    @property
    def around_the_answer(self) -> float:
        """How many of the question's words stand where the answer is."""
        return _weighed(self.answered + self.answered_meaning, self.asked)

    @property
    def in_one_place(self) -> float:
        """How near both are to the part that is nearest to both."""
        asked = self.asked + np.maximum(self.asked_meaning, 0)
        return float((asked * (self.answered + np.maximum(self.answered_meaning, 0))).max())


def _weighed(by: Floats, values: Floats) -> float:
    return float(weights_of(by, _SHARP) @ values)


def weights_of(nearness: Floats, sharp: float) -> Floats:
    """The softmax of these: the smaller `sharp`, the more goes to the nearest."""
    weights: Floats = np.exp((nearness - nearness.max()) / sharp)
    return weights / float(weights.sum())


VALUES: Mapping[str, Callable[[Near], float]] = {
    "around the question": lambda near: near.around_the_question,
    "around the answer": lambda near: near.around_the_answer,
    "in one place": lambda near: near.in_one_place,
}


class Places:
    """Compares with the parts of texts."""

    def __init__(self, vectors: Vectors, rarity: Rarity) -> None:
        self._vectors, self._rarity = vectors, rarity
        self.near = cache(self._near)
        self._words_of = cache(lambda text: [set(fold(part).split()) for part in parts_of(text)])

    def scorer(self, value: Callable[[Near], float]) -> Scorer:
        """The scorer by one value of a question's nearness."""
        return lambda samples: [value(self.near(sample)) for sample in samples]

    def _near(self, sample: Sample) -> Near:
        asked, answered = (set(fold(text).split()) for text in (sample.text, sample.answer))
        words = self._words_of(sample.context)
        meanings = self._vectors(parts_of(sample.context)) @ self._vectors([sample.text, sample.answer]).T
        return Near(
            self._shares(asked - answered, asked, words),
            meanings[:, 0].astype(float),
            self._shares(answered, answered, words),
            meanings[:, 1].astype(float),
        )

    def _shares(self, of: set[str], among: set[str], parts: Sequence[set[str]]) -> Floats:
        whole = self._rarity(among) or 1.0
        return np.array([self._rarity(of & words) / whole for words in parts])

    def nearest(self, samples: Sequence[Sample]) -> Sequence[str]:
        """The sentence, or two, that mean most nearly what each question does: a round trip without a model."""
        parts = [parts_of(sample.context) for sample in samples]
        asked = self._vectors([sample.text for sample in samples])
        return [some[int((self._vectors(some) @ one).argmax())] for some, one in zip(parts, asked, strict=True)]

    def meaning(self, first: str, second: str) -> float:
        """The cosine of two texts."""
        one, other = self._vectors([first, second])
        return float(one @ other)

    def unsaid(self, samples: Sequence[Sample]) -> Sequence[float]:
        """How little of the answer questions say, by the rarity of its words; 0 the most, down to -1."""
        pairs = [(set(fold(sample.text).split()), set(fold(sample.answer).split())) for sample in samples]
        return [-self._rarity(said & answered) / (self._rarity(answered) or 1.0) for said, answered in pairs]


def round_trip(answers: Callable[[Sequence[Sample]], Sequence[str]], alike: Callable[[str, str], float]) -> Scorer:
    """Score by how alike the answer to a question and the wanted one are, where no model answers."""
    return lambda samples: [
        alike(given, sample.answer) for given, sample in zip(answers(samples), samples, strict=True)
    ]


def words_shared(given: str, wanted: str) -> float:
    """The share of the words of a wanted answer that a given one has."""
    words = set(fold(wanted).split())
    return len(words & set(fold(given).split())) / len(words) if words else 0.0
