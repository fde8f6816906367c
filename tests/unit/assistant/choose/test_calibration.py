"""A calibration: the height of a curve; that it is monotone wherever its curves are, the tests of the gate show."""

import pytest

from assistant.choose.calibration import Calibration


def calibration(**curves: list[float]) -> Calibration:
    return Calibration(-1.0, curves, 0.8, 0.1)


@pytest.mark.parametrize(
    ("value", "height"),
    [(-1.0, 0.0), (0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 2.5), (1.0, 4.0), (7.0, 4.0)],
)
def test_between_two_heights_lies_a_straight_line_and_beyond_the_ends_nothing_more(value: float, height: float) -> None:
    assert calibration(meaning=[0.0, 1.0, 4.0]).log_odds({"meaning": value}) == pytest.approx(height - 1.0)


def test_a_feature_that_is_absent_counts_as_nothing_and_one_without_a_curve_too() -> None:
    assert calibration(meaning=[0.0, 2.0]).log_odds({"brand_new": 1.0}) == -1.0


def test_the_strongest_feature_is_the_one_that_adds_most() -> None:
    known = calibration(meaning=[0.0, 0.1, 5.0], words=[0.0, 1.0])
    assert known.strongest(["meaning", "words"], {"meaning": 0.5, "words": 0.5}) == "words"
    assert known.strongest(["meaning", "words"], {"meaning": 0.9, "words": 0.9}) == "meaning"
