"""Where an answer stands from what is asked about, learnt from other stories: some kinds look back, others on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.papers.selection.scores import Sample
from evaluation.selection.pairing import Fitness, beginnings
from evaluation.selection.places import Near, weights_of
from evaluation.selection.questions import GROUPS, Asked

Floats = NDArray[np.float64]
_FARTHEST = 3  # sentences, either way; what is farther counts as that
_SHARP = 0.15  # of the softmax over sentences
_LEAST = 8  # questions that begin so; rarer kinds say nothing
_PENALTY = 3.0
_STEPS = 50


class Order:
    """The distances between what questions ask about and answers, each worked out once."""

    def __init__(self, asked: Sequence[Asked], near: Callable[[Sample], Near]) -> None:
        self._asked, self._near = asked, near
        self._distances = cache(self._between)
        self._kinds = [frozenset(beginnings(one.question)) for one in asked]

    def _between(self, answer: int, question: int) -> Floats:
        """How likely the answer stands so many sentences from what is asked about; shape (distances,)."""
        one = self._asked[answer]
        near = self._near(Sample(self._asked[question].question, one.text, one.answers[0]))
        sentences = (len(near.asked) + 1) // 2  # the parts behind these are two sentences each
        asked = weights_of((near.asked + near.asked_meaning)[:sentences], _SHARP)
        answered = weights_of((near.answered + near.answered_meaning)[:sentences], _SHARP)
        places = np.arange(sentences)
        distances = np.clip(places[None, :] - places[:, None], -_FARTHEST, _FARTHEST) + _FARTHEST
        likely = np.zeros(2 * _FARTHEST + 1)
        np.add.at(likely, distances, np.outer(asked, answered))
        return likely

    def fitness(self, learnt_from: Sequence[int]) -> Fitness:
        """Learnt from these pairs, so that each answer picks its own question among those of the same section."""
        counted = Counter(kind for at in learnt_from for kind in self._kinds[at])
        known = [kind for kind, number in counted.items() if number >= _LEAST]

        @cache
        def values(answer: int, question: int) -> Floats:
            kinds = [1.0, *(kind in self._kinds[question] for kind in known)]
            return np.outer(kinds, self._distances(answer, question)).ravel()

        sections = defaultdict(list)
        for at in learnt_from:
            sections[GROUPS["same section"](self._asked[at])].append(at)
        samples = [[values(at, other) for other in some] for some in sections.values() for at in some]
        weights = _weights(samples, [place for some in sections.values() for place in range(len(some))])
        return lambda answer, question: float(values(answer, question) @ weights)


def _weights(samples: Sequence[Sequence[Floats]], right: Sequence[int]) -> Floats:
    """Those under which the right samples, by their places, are likeliest among theirs."""
    table = np.array([values for some in samples for values in some])
    sizes = [len(some) for some in samples]
    starts = np.cumsum([0, *sizes[:-1]])
    own = starts + right

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = table @ weights
        most = np.maximum.reduceat(odds, starts)
        chance = np.exp(odds - np.repeat(most, sizes))
        total = np.add.reduceat(chance, starts)
        value = (np.log(total) + most - odds[own]).sum() + _PENALTY * weights @ weights / 2
        chance /= np.repeat(total, sizes)
        chance[own] -= 1
        return float(value), chance @ table + _PENALTY * weights

    found = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    return np.asarray(found.x)
