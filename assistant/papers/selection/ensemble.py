"""Several scores as one: each is brought to [0, 1] over the samples, and their mean counts.

Yuan et al. (2023, section 4) weigh all alike. Fitted weights are an addition, and so are scores as they are, whose
distance tells how sure a scorer is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Scale = Callable[[Sequence[float]], Sequence[float]]
"""The scores of one scorer, so that they can be added to those of others."""


def scaled(scores: Sequence[float]) -> list[float]:
    """Scores from 0 (the least) to 1 (the greatest); all 0 where they are the same."""
    least, spread = min(scores), max(scores) - min(scores)
    return [(score - least) / spread if spread else 0.0 for score in scores]


def combined(
    scores: Sequence[Sequence[float]], weights: Sequence[float] | None = None, scale: Scale = scaled
) -> list[float]:
    """The weighted mean of scores for each sample, each scaled over the samples.

    A score that is the same for all samples says nothing and is left out.

    Args:
        scores: for each scorer, one score for each sample, of one sample at least.
        weights: one for each scorer, none below 0; all alike where there are none.
        scale: of the scores of one scorer.

    Returns:
        One mean for each sample, in [0, 1] by `scaled`; all 0 where no score with a weight tells them apart.

    Raises:
        ValueError: the numbers of weights and scorers, or of scores and samples, are not the same.
    """
    weighed = zip(scores, weights or [1.0] * len(scores), strict=True)
    telling = [(scale(some), weight) for some, weight in weighed if weight and min(some) < max(some)]
    total = sum(weight for _, weight in telling)
    by_sample = zip(*(some for some, _ in telling), strict=True)
    means = [sum(one * weight for one, (_, weight) in zip(some, telling, strict=True)) / total for some in by_sample]
    return means or [0.0] * len(scores[0])


def best(scores: Sequence[float]) -> int:
    """The place of the highest score, the first of several."""
    return max(range(len(scores)), key=scores.__getitem__)
