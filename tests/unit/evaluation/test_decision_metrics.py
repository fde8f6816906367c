"""Metrics of decisions: small cases counted by hand, and what must hold for any."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.cases import Case, Id, Outcome
from evaluation.decisions.metrics import (
    JudgedCase,
    best_f1,
    calibration_error,
    curve,
    f1,
    first_pairs,
    percentile,
    precision,
    recall,
    recall_at,
    recall_where,
    spliced,
)


def judged(
    applies: str | None, ranked: str = "", used: str = "", kind: str = "yes", score: float = 0.5, offered: str = ""
) -> JudgedCase:
    """Entries are single letters; the first ranked one has the score, each next one half of the one before."""
    scores: dict[Id, float] = {name: score / 2**place for place, name in enumerate(ranked)}
    return JudgedCase(Case("?", applies, kind), Outcome(tuple(ranked), tuple(used), tuple(offered), scores))


CASES = [
    judged("a", "abc", "a", score=0.9),  # right
    judged("b", "abc", "a", score=0.8),  # wrong one used
    judged("c", "abc", "", score=0.2),  # missed
    judged("d", "", ""),  # not found
    judged(None, "ab", "ab", "look-alike", score=0.7),  # two wrong splices
    judged(None, "ab", "", "Look_Alike", score=0.1),
    judged(None, "b", "", "everyday", score=0.3),
    judged(None, "", "", "unrelated"),
]


@pytest.mark.parametrize(("most", "expected"), [(1, 1 / 4), (2, 2 / 4), (3, 3 / 4), (10, 3 / 4)])
def test_recall_among_the_first(most: int, expected: float) -> None:
    assert recall_at(CASES, most) == expected


def test_splices_are_counted() -> None:
    assert precision(CASES) == 1 / 4
    assert recall(CASES) == 1 / 4
    assert f1(1 / 4, 1 / 4) == 1 / 4
    assert spliced(CASES) == 3 / 8


def test_what_may_be_used_as_well_counts_neither_for_nor_against() -> None:
    also = [JudgedCase(replace(one.case, also=frozenset("b")), one.outcome) for one in CASES]
    assert (precision(also), recall(also), spliced(also)) == (1 / 3, 1 / 4, 3 / 8)
    also = [JudgedCase(replace(one.case, also=frozenset("ab")), one.outcome) for one in CASES[4:]]
    assert (precision(also), spliced(also)) == (None, 0.0)


def test_a_share_of_nothing_is_none() -> None:
    nothing: list[JudgedCase] = []
    assert [recall_at(nothing, 5), precision(nothing), recall(nothing), spliced(nothing)] == [None] * 4
    assert [calibration_error([]), percentile([], 50), best_f1([])] == [None] * 3
    assert f1(None, None) is None
    assert (f1(None, 0.0), f1(0.0, 0.5)) == (0.0, 0.0)
    assert precision([judged("a", "a", "")]) is None
    assert recall([judged(None, "a", "a")]) is None


def test_the_curve_counts_the_first_candidate_down_to_each_score() -> None:
    points = curve(CASES)
    assert [point.threshold for point in points] == [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]
    assert [point.precision for point in points] == [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6]
    assert {point.recall for point in points} == {1 / 4}
    assert [point.unrelated for point in points] == [0, 0, 0, 1 / 2, 1 / 2, 1 / 2]
    assert best_f1(points) == points[0]


def test_recall_where_few_unrelated_questions_are_spliced() -> None:
    cases = [judged("a", "a", score=0.9), judged(None, "a", kind="everyday", score=0.6), judged("a", "a", score=0.4)]
    points = curve(cases)
    assert (recall_where(points, 0.02), recall_where(points, 1.0)) == (1 / 2, 1)
    assert recall_where(curve(cases[:1]), 0.02) is None
    assert recall_where(curve([judged(None, "a", kind="everyday"), judged("a", "a", score=0.4)]), 0.02) == 0


def test_pairs_for_calibration() -> None:
    cases = [judged("a", "abc", "a", score=0.8, offered="bc"), judged("b", "a", score=0.4), judged(None)]
    assert first_pairs(cases) == [(0.8, True), (0.4, False)]


def test_calibration_error() -> None:
    pairs = [(0.95, True), (1.0, True), (0.91, False), (0.1, False), (0.0, False)]
    assert calibration_error(pairs) == pytest.approx((0.1 + 0.86) / 5)
    assert calibration_error([(1.0, True), (0.0, False)]) == 0
    assert calibration_error([(1.0, False)]) == 1


@pytest.mark.parametrize(("percent", "expected"), [(0, 1), (50, 2), (51, 3), (95, 4), (100, 4)])
def test_percentile(percent: float, expected: float) -> None:
    assert percentile([4, 1, 3, 2], percent) == expected


entries = st.text("abcd", max_size=4).map(lambda text: "".join(dict.fromkeys(text)))
cases = st.lists(
    st.builds(
        judged,
        st.sampled_from(["a", "b", "c", None]),
        entries,
        kind=st.sampled_from(["yes", "look-alike", "everyday"]),
        score=st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.99, 1.0]),
    )
)


@given(cases)
def test_the_last_point_agrees_with_splicing_every_first_candidate(some: list[JudgedCase]) -> None:
    everything = [
        JudgedCase(one.case, Outcome(one.outcome.ranked, one.outcome.ranked[:1], scores=one.outcome.scores))
        for one in some
    ]
    points = curve(some)
    if points:
        assert (points[-1].precision, points[-1].recall) == (precision(everything), recall(everything))
        assert points[-1].unrelated == spliced(one for one in everything if one.case.is_unrelated)
