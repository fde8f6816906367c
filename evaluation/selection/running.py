"""How often each scorer, and each ensemble of them, finds the question that belongs to a text and its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.papers.selection.scores import Sample, Scorer, best, combined, ngram_similarity, scaled
from assistant.ports import Embedder
from evaluation.selection.order import Order
from evaluation.selection.pairing import Fitness, fitness
from evaluation.selection.places import VALUES, Places, round_trip, words_shared
from evaluation.selection.questions import GROUPS, SIZES, Asked, Choice, choices, folds_of
from evaluation.selection.texts import Rarity, Vectors, parts_of, texts_of
from memory_store.language.normalize import fold

Floats = NDArray[np.float64]
Scale = Callable[[Sequence[float]], Sequence[float]]
"""Makes the scores of one scorer comparable with those of others."""
FOLDS = 5
"""Parts of the stories: what is tried on one is fitted on the others."""
LEARNT = ("kind of question and answer, learnt", "where the answer stands, learnt")
_PENALTY = 3.0


def scorers(places: Places) -> Mapping[str, Scorer]:
    """Those that nothing is fitted for, by name."""
    folded = cache(fold)
    return {
        **{f"{size}-grams": partial(ngram_similarity, size=size, fold=folded) for size in SIZES},
        "round trip, by words": round_trip(places.nearest, words_shared),
        "round trip, by meaning": round_trip(places.nearest, places.meaning),
        **{name: places.scorer(value) for name, value in VALUES.items()},
        "does not say the answer": places.unsaid,
    }


@dataclass(frozen=True, slots=True)
class Scored:
    """Choices with what the scorers say of them."""

    choices: Sequence[Choice]
    folds: NDArray[np.int64]  # of the stories of the choices; shape (choices,)
    scores: Floats  # without what is learnt; shape (choices, samples, scorers)
    learnt: Callable[[frozenset[int]], Sequence[Fitness]]  # what is learnt without these folds

    @property
    def places(self) -> NDArray[np.int64]:
        """Where the right question stands; shape (choices,)."""
        return np.array([one.among.index(one.right) for one in self.choices])

    def table(self, without: int | None = None) -> Floats:
        """Scores of all scorers; of what is learnt, without the story of the choice, and without one fold more."""
        columns = [
            [
                [fits(one.right, at) for fits in self.learnt(frozenset({own, own if without is None else without}))]
                for at in one.among
            ]
            for own, one in zip(self.folds.tolist(), self.choices, strict=True)
        ]
        return np.concatenate([self.scores, np.array(columns)], axis=2)

    def right(self, picked: Sequence[int]) -> float:
        """The share of choices that were right."""
        return float(np.mean(self.places == np.array(picked)))


def measured(asked: Sequence[Asked], embedder: Embedder, rounds: int, seed: int) -> dict[str, dict[str, float]]:
    """Shares that are right, by the name of a scorer and where the other questions come from. Raises BadInput."""
    vectors = Vectors(embedder, texts_of(asked))
    places = Places(vectors, Rarity.of(part for one in asked for part in parts_of(one.text)))
    fold_of = folds_of(asked, FOLDS, seed)
    folds = np.array([fold_of[one.story] for one in asked])
    by_name, order = scorers(places), Order(asked, places.near)
    learnt: dict[frozenset[int], Sequence[Fitness]] = {}
    for pair in combinations_with_replacement(range(FOLDS), 2):
        others = np.flatnonzero(~np.isin(folds, pair)).tolist()
        learnt[frozenset(pair)] = (fitness(asked, vectors, others), order.fitness(others))
    found: dict[str, dict[str, float]] = {}
    for setting, group in GROUPS.items():
        chosen = choices(asked, group, rounds, seed)
        scores = np.array([_scores(asked, one, by_name.values()) for one in chosen])
        scored = Scored(chosen, folds[[one.right for one in chosen]], scores, learnt.__getitem__)
        found[setting] = _shares(scored, [*by_name, *LEARNT])
    return found


def _scores(asked: Sequence[Asked], choice: Choice, by: Iterable[Scorer]) -> Floats:
    own = asked[choice.right]
    samples = [Sample(asked[at].question, own.text, own.answers[0]) for at in choice.among]
    return np.array([scorer(samples) for scorer in by]).T


def _shares(scored: Scored, names: Sequence[str]) -> dict[str, float]:
    table = scored.table()
    single = {name: scored.right([best(some) for some in table[:, :, at].tolist()]) for at, name in enumerate(names)}
    oracle = (table.argmax(axis=1) == scored.places[:, None]).any(axis=1)
    return single | {
        "all, weighed alike": scored.right([best(combined(some.T.tolist())) for some in table]),
        "all, fitted weights": _cross_fitted(scored, scaled),
        "all, fitted weights, scores as they are": _cross_fitted(scored, tuple),
        "any scorer (oracle)": float(oracle.mean()),
    }


def _cross_fitted(scored: Scored, scale: Scale) -> float:
    """The share that is right with weights that were fitted on the other folds."""
    picked = np.zeros(len(scored.choices), dtype=int)
    for held in range(FOLDS):
        others, table = scored.folds != held, scored.table(without=held)
        weights = fitted(np.array([_scaled(some, scale) for some in table[others]]), scored.places[others])
        for at in np.flatnonzero(~others):
            picked[at] = best((_scaled(table[at], scale) @ weights).tolist())
    return scored.right(picked.tolist())


def _scaled(scores: Floats, scale: Scale) -> Floats:
    return np.array([scale(some) for some in scores.T.tolist()]).T


def fitted(table: Floats, right: NDArray[np.int64]) -> list[float]:
    """Weights, none below 0, under which the right samples are likeliest among theirs.

    Args:
        table: shape (choices, samples, scorers).
        right: the places of the right samples; shape (choices,).

    Returns:
        One weight for each scorer: a conditional logistic regression, penalized by the spread of the scores.
    """
    spread = table.std(axis=(0, 1))
    each, number = table / np.where(spread, spread, 1.0), np.arange(len(table))

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = each @ weights
        odds -= odds.max(axis=1, keepdims=True)
        chance = np.exp(odds)
        chance /= chance.sum(axis=1, keepdims=True)
        value = -np.log(chance[number, right]).sum() + _PENALTY * weights @ weights / 2
        chance[number, right] -= 1
        return float(value), np.einsum("cs,csw->w", chance, each) + _PENALTY * weights

    bounds = [(0.0, None)] * each.shape[2]
    found = minimize(loss, np.ones(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds)
    return [float(weight) for weight in found.x / np.where(spread, spread, 1.0)]
