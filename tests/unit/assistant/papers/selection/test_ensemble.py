"""Several scores as one, against tables by hand, and what holds of all."""

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


def test_scores_are_scaled_and_averaged() -> None:
    assert [scaled(one) for one in (FIRST, SECOND, SAME)] == [[0.0, 0.5, 1.0], [1.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    assert combined([FIRST, SECOND]) == [0.5, 0.25, 0.75]
    assert combined([FIRST, SECOND], [1.0, 3.0]) == [0.75, 0.125, 0.625]
    assert combined([FIRST, SAME]) == [0.0, 0.25, 0.5]
    assert combined([SAME, SAME]) == combined([FIRST], [0.0]) == [0.0, 0.0, 0.0]
    assert [best([0.2, 0.9, 0.9]), best(combined([SAME]))] == [1, 0]


def test_missing_weight_or_score_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        combined([FIRST, SECOND], [1.0])
    with pytest.raises(ValueError, match="zip"):
        combined([FIRST, SECOND[:2]])


@given(SCORES, st.sampled_from([0.5, 2.0, 4.0]), st.integers(-16, 16))
def test_scale_and_order_do_not_matter(scores: list[list[float]], factor: float, shift: int) -> None:
    moved = [[factor * one + shift for one in scores[0]], *scores[1:]]
    assert combined(moved) == pytest.approx(combined(scores))
    assert all(0 <= one <= 1 for one in combined(scores))
    assert combined([some[::-1] for some in scores]) == combined(scores)[::-1]


@given(SCORES, st.sampled_from([0.25, 2.0, 8.0]))
def test_only_proportions_of_weights_matter(scores: list[list[float]], factor: float) -> None:
    weights = [float(at + 1) for at in range(len(scores))]
    more = combined(scores, [factor * weight for weight in weights])
    assert more == pytest.approx(combined(scores, weights))
    assert combined(scores, [1.0] * len(scores)) == combined(scores)
