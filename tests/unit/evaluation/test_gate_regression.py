"""The fit of the gate: signs, bounds, weights, and what its pairs are."""

from collections.abc import Sequence

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.types import Candidate, Entry, Key
from evaluation.cases import Case
from evaluation.gate.data import Remembered
from evaluation.gate.regression import LAST, NOT_FITTED, Pairs, fit
from memory_store.recall.features import AGAINST
from tests.support.memory.entries import made_entry

Floats = NDArray[numpy.float64]
MISFIT = "misfit"  # speaks against an entry
SEEDS = st.integers(0, 2**32 - 1)


def entry(name: str) -> Entry:
    return made_entry(f"about {name}", "t", id=name, sequence=0)


def candidate(name: str, **scores: float) -> Candidate:
    return Candidate(entry(name), Key(f"about {name}"), {"relevance": 0.5, LAST: 0.0, **scores})


def nearest_only(names: Sequence[str], table: Floats, label: Floats, weight: float = 1.0) -> Pairs:
    """A memory in which each question has one candidate."""
    memory = Remembered("made up", [], [], weight)
    return Pairs(memory, tuple(names), table, numpy.zeros(len(label)), numpy.ones(len(label), dtype=numpy.bool_), label)


def drawn(weights: Sequence[float], intercept: float, count: int, seed: int) -> tuple[Floats, Floats]:
    """Features, and labels that follow from them by chance."""
    chance = numpy.random.default_rng(seed)
    table = chance.random((count, len(weights)))
    odds = intercept + table @ numpy.array(weights)
    return table, (chance.random(count) < 1 / (1 + numpy.exp(-odds))).astype(float)


def test_the_fit_finds_what_speaks_for_and_against_and_gives_the_wrong_way_no_weight() -> None:
    names = ["likeness", MISFIT, "nothing"]
    table, label = drawn([9.0, -6.0, 0.0], -2.0, 3_000, 0)
    intercept, curves = fit([nearest_only(names, table, label)])
    assert intercept < 0.0
    assert curves["likeness"][-1] > 5.0
    assert curves[MISFIT][-1] < -3.0
    assert 0.0 <= curves["nothing"][-1] < 1.0
    table, label = drawn([-6.0, 6.0, 4.0], -1.0, 2_000, 5)
    _, curves = fit([nearest_only(names, table, label)])
    assert (curves["likeness"][-1], curves[MISFIT][-1]) == (0.0, 0.0)
    assert curves["nothing"][-1] > 2.0


@settings(max_examples=5)
@given(SEEDS, st.integers(16, 40))
def test_no_data_breaks_the_bounds(seed: int, count: int) -> None:
    chance = numpy.random.default_rng(seed)
    names = sorted({"likeness", "other", *AGAINST} - NOT_FITTED)
    memory = Remembered("made up", [], [], weight=float(chance.random() * 5))
    table, behind = chance.random((count, len(names))), chance.random(count)
    is_nearest, label = chance.random(count) < 0.7, chance.integers(0, 2, count).astype(float)
    is_nearest[0] = True
    pairs = Pairs(memory, tuple(names), table, behind, is_nearest, label)
    intercept, curves = fit([pairs])
    assert curves.keys() == {*names, LAST}
    assert all(curve == sorted(curve, reverse=name in AGAINST) for name, curve in curves.items())
    assert numpy.isfinite([intercept, *(height for curve in curves.values() for height in curve)]).all()


def test_how_far_behind_a_candidate_lies_is_learned_from_those_that_are_not_nearest() -> None:
    chance = numpy.random.default_rng(1)
    count, behind = 2_000, chance.random(2_000)
    is_nearest = numpy.arange(count) % 2 == 0
    label = numpy.where(is_nearest, chance.random(count) < 0.5, chance.random(count) < numpy.exp(-5 * behind))
    behind = numpy.where(is_nearest, 0.0, behind)
    memory, ones = Remembered("made up", [], []), numpy.ones((count, 1))
    intercept, curves = fit([Pairs(memory, ("likeness",), ones, behind, is_nearest, label.astype(float))])
    alone = fit([nearest_only(["likeness"], ones[is_nearest], label[is_nearest].astype(float))])
    assert curves[LAST][-1] < -1.0
    assert (intercept, curves["likeness"][-1]) == pytest.approx((alone[0], alone[1]["likeness"][-1]))


def test_a_memory_counts_by_its_weight() -> None:
    table, label = drawn([8.0], -4.0, 400, 2)
    for says, denies in ((10.0, 0.1), (0.1, 10.0)):
        some = [nearest_only(["likeness"], table, label, says), nearest_only(["likeness"], table, 1 - label, denies)]
        assert (fit(some)[1]["likeness"][-1] > 1.0) is (says > denies)


def test_pairs_are_what_is_wanted_or_wrong() -> None:
    questions = [
        Case("one", "a", as_good=frozenset({"b"})),
        Case("two", None, as_good=frozenset({"b"})),
        Case("three", None),
        Case("four", None),
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
    assert pairs.is_nearest.tolist() == [False, False, True, True, True]
    assert pairs.behind.tolist() == [0, 0, 0, 0.2, 0]


def test_a_feature_that_nobody_named_here_is_fitted_and_a_missing_one_counts_as_nothing() -> None:
    questions = [Case(f"q{place}", "a" if place % 2 else None) for place in range(40)]
    found = [[candidate("a", **({"brand_new": 0.9} if place % 2 else {"words": 0.5}))] for place in range(40)]
    pairs = Pairs.of(Remembered("m", [entry("a")], questions), found)
    assert pairs.names == ("brand_new", "words")
    _, curves = fit([pairs])
    assert fit([pairs], {"brand_new"})[1].keys() == curves.keys() - {"brand_new"}
    assert curves["brand_new"][-1] > 0.5
    assert curves["words"][-1] == 0.0
