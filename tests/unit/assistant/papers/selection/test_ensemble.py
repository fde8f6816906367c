"""Several scores as one, against tables by hand, and what holds of all."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.papers.selection.scores import best, combined, scaled

pytestmark = pytest.mark.promise("best-draft-is-shown")

SCORES = st.integers(1, 5).flatmap(
    lambda samples: st.lists(
        st.lists(st.integers(-8, 8).map(float), min_size=samples, max_size=samples), min_size=1, max_size=4
    )
)
FIRST, SECOND, SAME = [1.0, 3.0, 5.0], [30.0, 10.0, 20.0], [7.0, 7.0, 7.0]


def test_scores_run_from_zero_to_one() -> None:
    assert scaled(FIRST) == [0.0, 0.5, 1.0]
    assert scaled(SECOND) == [1.0, 0.0, 0.5]
    assert scaled(SAME) == [0.0, 0.0, 0.0]


def test_the_mean_of_scaled_scores() -> None:
    assert combined([FIRST, SECOND]) == [0.5, 0.25, 0.75]
    assert combined([FIRST, SECOND], [1.0, 3.0]) == [0.75, 0.125, 0.625]
    assert combined([FIRST, SECOND], [0.0, 2.0]) == [1.0, 0.0, 0.5]


def test_a_score_that_is_the_same_for_all_chooses_none() -> None:
    assert combined([FIRST, SAME]) == [0.0, 0.25, 0.5]
    assert combined([SAME, SAME]) == combined([FIRST], [0.0]) == [0.0, 0.0, 0.0]
    assert combined([[4.0]]) == [0.0]


def test_of_equals_the_first_is_best() -> None:
    assert best([0.2, 0.9, 0.9]) == 1
    assert best(combined([SAME])) == 0


def test_each_scorer_has_a_weight_and_each_sample_a_score() -> None:
    with pytest.raises(ValueError, match="zip"):
        combined([FIRST, SECOND], [1.0])
    with pytest.raises(ValueError, match="zip"):
        combined([FIRST, SECOND[:2]])


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(scores: list[list[float]], chance: random.Random) -> None:
    order = list(range(len(scores[0])))
    chance.shuffle(order)
    assert combined([[some[at] for at in order] for some in scores]) == [combined(scores)[at] for at in order]


@given(SCORES, st.sampled_from([0.5, 2.0, 4.0]), st.integers(-16, 16))
def test_the_scale_of_a_scorer_does_not_matter(scores: list[list[float]], factor: float, shift: int) -> None:
    moved = [[factor * one + shift for one in scores[0]], *scores[1:]]
    assert combined(moved) == pytest.approx(combined(scores))
    assert all(0 <= one <= 1 for one in combined(scores))


@given(SCORES, st.sampled_from([0.25, 2.0, 8.0]))
def test_only_the_proportions_of_weights_matter(scores: list[list[float]], factor: float) -> None:
    weights = [float(at + 1) for at in range(len(scores))]
    more = combined(scores, [factor * weight for weight in weights])
    assert more == pytest.approx(combined(scores, weights))
    assert combined(scores, [1.0] * len(scores)) == combined(scores)
