"""The fit of the gate: signs, bounds, what is held out, and its numbers counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.types import Candidate, Entry, Key, Kind, Status
from memory_store.features import AGAINST
from tools.gate_data import Question, Remembered
from tools.gate_regression import (
    FOLDS,
    LAST,
    NOT_FITTED,
    Outcome,
    Pairs,
    applied,
    bins,
    calibration_error,
    fit,
    held_out,
    log_odds,
    quality,
)

Floats = NDArray[numpy.float64]
MISREAD = "misread"  # speaks against an entry
SEEDS = st.integers(0, 2**32 - 1)


def entry(name: str) -> Entry:
    return Entry(
        id=name, kind=Kind.CLARIFICATION, owner="ann", shared=False, status=Status.ACTIVE, question=f"about {name}",
        text="t", sequence=0, created=datetime(2026, 1, 1, tzinfo=UTC), keys=(Key(f"about {name}"),),
    )  # fmt: skip


def candidate(name: str, **scores: float) -> Candidate:
    return Candidate(entry(name), Key(f"about {name}"), {"relevance": 0.5, LAST: 0.0, **scores})


def nearest_only(names: Sequence[str], table: Floats, label: Floats, group: Sequence[int] | None = None) -> Pairs:
    """A memory in which each question has one candidate."""
    count = len(label)
    questions = [Question(f"question {place}", None, None, "yes") for place in range(count)]
    return Pairs(
        Remembered("made up", [], questions), tuple(names), table, numpy.zeros(count),
        numpy.arange(count), numpy.zeros(count, dtype=numpy.int64), label, numpy.array(group or range(count)),
    )  # fmt: skip


def drawn(weights: Sequence[float], intercept: float, count: int, seed: int) -> tuple[Floats, Floats]:
    """Features, and labels that follow from them by chance."""
    chance = numpy.random.default_rng(seed)
    table = chance.random((count, len(weights)))
    odds = intercept + table @ numpy.array(weights)
    return table, (chance.random(count) < 1 / (1 + numpy.exp(-odds))).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_finds_what_speaks_for_and_against(seed: int) -> None:
    table, label = drawn([9.0, -6.0, 0.0], -2.0, 3_000, seed)
    intercept, curves = fit([nearest_only(["likeness", MISREAD, "nothing"], table, label)])
    assert curves["likeness"][-1] > 5.0
    assert curves[MISREAD][-1] < -3.0
    assert 0.0 <= curves["nothing"][-1] < 1.0
    assert intercept < 0.0


def test_what_speaks_the_wrong_way_gets_no_weight() -> None:
    table, label = drawn([-6.0, 6.0, 4.0], -1.0, 2_000, 5)
    _, curves = fit([nearest_only(["likeness", MISREAD, "other"], table, label)])
    assert curves["likeness"][-1] == 0.0
    assert curves[MISREAD][-1] == 0.0
    assert curves["other"][-1] > 2.0


@settings(max_examples=25)
@given(SEEDS, st.integers(16, 40))
def test_no_data_breaks_the_bounds(seed: int, count: int) -> None:
    chance = numpy.random.default_rng(seed)
    names = sorted({"likeness", "other", *AGAINST} - NOT_FITTED)
    pairs = Pairs(
        Remembered("made up", [], [], weight=float(chance.random() * 5)), tuple(names),
        chance.random((count, len(names))), chance.random(count), numpy.zeros(count, dtype=numpy.int64),
        chance.integers(0, 2, count), chance.integers(0, 2, count).astype(float), chance.integers(0, 5, count),
    )  # fmt: skip
    intercept, curves = fit([pairs])
    assert curves.keys() == {*names, LAST}
    assert all(curve == sorted(curve, reverse=name in AGAINST) for name, curve in curves.items())
    assert numpy.isfinite([intercept, *(height for curve in curves.values() for height in curve)]).all()


def test_how_far_behind_a_candidate_lies_is_learned_from_those_that_are_not_nearest() -> None:
    chance = numpy.random.default_rng(1)
    count, behind = 2_000, chance.random(2_000)
    rank = numpy.arange(count) % 2
    label = numpy.where(rank == 0, chance.random(count) < 0.5, chance.random(count) < numpy.exp(-5 * behind))
    pairs = Pairs(
        Remembered("made up", [], []), ("likeness",), numpy.ones((count, 1)), numpy.where(rank == 0, 0.0, behind),
        numpy.arange(count) // 2, rank, label.astype(float), numpy.arange(count) // 2,
    )  # fmt: skip
    intercept, curves = fit([pairs])
    alone = fit([pairs], {"made up": rank == 0})
    assert curves[LAST][-1] < -1.0
    assert (intercept, curves["likeness"][-1]) == pytest.approx((alone[0], alone[1]["likeness"][-1]))


def test_a_memory_counts_by_its_weight() -> None:
    table, label = drawn([8.0], -4.0, 400, 2)
    says = nearest_only(["likeness"], table, label)
    denies = nearest_only(["likeness"], table, 1 - label)
    for heavy, light, found in ((says, denies, True), (denies, says, False)):
        some = [
            Pairs(each.memory.weighing(weight), *(getattr(each, name) for name in list(Pairs.__annotations__)[1:]))
            for each, weight in ((heavy, 10.0), (light, 0.1))
        ]
        assert (fit(some)[1]["likeness"][-1] > 1.0) is found


def test_a_question_is_judged_by_a_fit_that_saw_nothing_written_for_its_entry() -> None:
    # Each entry has a feature of its own that gives the label away. It can help only where it was seen in the fit.
    entries, each = 3 * FOLDS, 6
    group = [place // each for place in range(entries * each)]
    label = numpy.array([float(place % 2) for place in range(len(group))])
    leak = numpy.zeros((len(group), entries))
    leak[numpy.arange(len(group)), group] = label
    pairs = nearest_only([f"leak {number:02}" for number in range(entries)], leak, label, group)
    intercept, curves = fit([pairs])
    assert min(curves[name][-1] for name in pairs.names) > 0.5
    outcome = held_out([pairs])["made up"]
    for number in range(entries):
        mine = outcome.probability[numpy.array(group) == number]
        assert mine == pytest.approx(mine[0], abs=1e-9)
    assert (outcome.right == label.astype(bool)).all()
    assert outcome.probability.std() < 0.01
    told = 1 / (1 + numpy.exp(-log_odds(pairs.names, leak, intercept, curves)))
    assert told[label == 1].min() > told[label == 0].max()


def test_pairs_are_what_is_wanted_or_wrong_and_go_together_by_entry() -> None:
    questions = [
        Question("one", "a", "a", "yes", also=frozenset({"b"})),
        Question("two", None, "a", "look-alike", also=frozenset({"b"})),
        Question("three", None, None, "everyday"),
        Question("four", None, None, "everyday"),
    ]
    found = [
        [candidate("b", words=0.9), candidate("a", words=0.8), candidate("c")],
        [candidate("a", words=0.7), candidate("b", words=0.6)],
        [candidate("c", words=0.1, **{LAST: 0.2})],
        [candidate("b", words=0.2)],
    ]
    pairs = Pairs.of(Remembered("m", [entry(name) for name in "abc"], questions), found)
    assert pairs.names == ("words",)
    assert pairs.table[:, 0].tolist() == [0.8, 0.0, 0.7, 0.1, 0.2]
    assert pairs.label.tolist() == [1, 0, 0, 0, 0]
    assert pairs.question.tolist() == [0, 0, 1, 2, 3]
    assert pairs.rank.tolist() == [1, 2, 0, 0, 0]
    assert pairs.behind.tolist() == [0, 0, 0, 0.2, 0]
    first, *_, third, fourth = pairs.group.tolist()
    assert pairs.group.tolist()[:3] == [first] * 3
    assert len({first, third, fourth}) == 3


def test_a_question_comes_to_its_likeliest_candidate_however_near_another_is() -> None:
    questions = [
        Question("one", "b", "b", "yes"),
        Question("two", "a", "a", "yes"),
        Question("three", None, None, "yes"),
    ]
    found = [
        [candidate("a", words=0.2), candidate("b", words=0.8)],
        [candidate("a", words=0.9), candidate("b", words=0.3)],
        [],
    ]
    pairs = Pairs.of(Remembered("m", [entry(name) for name in "ab"], questions), found)
    result = applied(pairs, -1.0, {"words": [0.0, 2.0], LAST: [0.0, -1.0]})
    odds = numpy.array([-1 + 2 * 0.8, -1 + 2 * 0.9])
    assert result.probability == pytest.approx([*(1 / (1 + numpy.exp(-odds))), 0.0])
    assert result.right.tolist() == [True, True, False]


def test_a_feature_that_nobody_named_here_is_fitted_and_a_missing_one_counts_as_nothing() -> None:
    questions = [Question(f"q{place}", "a" if place % 2 else None, "a", "yes") for place in range(40)]
    found = [[candidate("a", **({"brand_new": 0.9} if place % 2 else {"words": 0.5}))] for place in range(40)]
    pairs = Pairs.of(Remembered("m", [entry("a")], questions), found)
    assert pairs.names == ("brand_new", "words")
    _, curves = fit([pairs])
    assert curves["brand_new"][-1] > 0.5
    assert curves["words"][-1] == 0.0


def test_the_calibration_error_by_hand() -> None:
    said = numpy.array([0.05, 0.05, 0.95, 0.95])
    right = numpy.array([False, True, True, True])
    assert calibration_error(Outcome(said, right)) == pytest.approx((2 * 0.45 + 2 * 0.05) / 4)
    assert calibration_error(Outcome(right.astype(float), right)) == 0.0
    assert calibration_error(Outcome(1.0 - right, right)) == 1.0
    ends = Outcome(numpy.array([0.0, 0.1, 1.0, 0.92]), numpy.array([False, False, True, False]))
    assert bins(ends) == [(1, 0.0, 0.0), (1, 0.1, 0.0), (2, pytest.approx(0.96), 0.5)]


def test_the_quality_by_hand() -> None:
    kinds = ["yes", "yes", "yes", "look-alike", "look-alike", "everyday"]
    questions = [Question(kind, None, None, kind) for kind in kinds]
    outcome = Outcome(numpy.array([0.9, 0.9, 0.1, 0.9, 0.2, 0.0]), numpy.array([True, False, True] + [False] * 3))
    numbers = quality(questions, outcome, use=0.75)
    assert numbers.pop("calibration error") > 0
    assert numbers == {
        "precision of use": 0.333,
        "recall of use": 0.333,
        "look-alike spliced": 0.5,
        "everyday spliced": 0.0,
    }
