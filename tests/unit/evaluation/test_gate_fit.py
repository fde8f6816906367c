"""The fit of the gate: curves, weights and pairs."""

from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from evaluation.decisions.benchmark import Benchmark, DecisionCase, Id, StoredEntry
from evaluation.gate.data import FACT_CASES, load_fact_memories
from evaluation.gate.fitting import CaseFeatures, Pairs, find_candidates, fit
from memory_store.embedding.embedder import NONE

Floats = NDArray[numpy.float64]


def drawn(weights: Sequence[float], intercept: float, count: int, seed: int) -> Pairs:
    """Return random features, with random labels that depend on them; the second feature is named `copied`."""
    chance = numpy.random.default_rng(seed)
    table = chance.random((count, len(weights)))
    odds = intercept + table @ numpy.array(weights)
    wanted = (chance.random(count) < 1 / (1 + numpy.exp(-odds))).astype(float)
    return Pairs(("for", "copied", "nothing")[: len(weights)], table, wanted, numpy.ones(count))


def test_fit_finds_what_speaks_for_and_against() -> None:
    intercept, curves = fit(drawn([9.0, -6.0, 0.0], -2.0, 3_000, 0))
    assert intercept < 0.0
    assert curves["for"][-1] > 5.0
    assert curves["copied"][-1] < -3.0
    assert abs(curves["nothing"][-1]) < 1.0


def test_pairs_count_by_weight() -> None:
    says, denies = drawn([8.0], -4.0, 400, 2), drawn([8.0], -4.0, 400, 2)
    table, wanted = numpy.concatenate([says.table, denies.table]), numpy.concatenate([says.wanted, 1 - denies.wanted])
    for counts, other in ((10.0, 0.1), (0.1, 10.0)):
        weight = numpy.repeat([counts, other], 400)
        assert (fit(Pairs(("for",), table, wanted, weight))[1]["for"][-1] > 1.0) is (counts > other)


def test_pairs_are_wanted_or_wrong() -> None:
    found: list[tuple[DecisionCase, dict[Id, dict[str, float]]]] = [
        (DecisionCase("one", "a", as_good=frozenset({"b"})), {"b": {"words": 0.9}, "a": {"words": 0.8}, "c": {}}),
        (DecisionCase("two", None, as_good=frozenset({"b"})), {"a": {"words": 0.7}, "b": {"words": 0.6}}),
        (DecisionCase("three", None), {"c": {"words": 0.1}}),
    ]
    pairs = Pairs.of(["words", "new"], [CaseFeatures(case, 2.0, candidates) for case, candidates in found])
    assert pairs.table.tolist() == [[0.8, 0.0], [0.0, 0.0], [0.7, 0.0], [0.1, 0.0]]
    assert pairs.wanted.tolist() == [1, 0, 0, 0]
    assert set(pairs.weight.tolist()) == {2.0}


def test_candidates_are_what_the_app_finds() -> None:
    entries = [
        StoredEntry("warm", "how warm is it outside", "in Celsius"),
        StoredEntry("bus", "when is the bus", "by 8"),
    ]
    cases = [DecisionCase("how warm is it", "warm"), DecisionCase("zzz", None)]
    warm, nothing = find_candidates(Benchmark(entries, cases, weight=2.0), NONE)
    assert (warm.case, warm.weight, [*warm.candidates]) == (cases[0], 2.0, ["warm"])
    assert warm.candidates["warm"]["near"] > 0.5
    assert all(scores["near"] == 0.0 for scores in nothing.candidates.values())


def test_fact_gate_is_fitted_on_no_question_of_the_test_set() -> None:
    tested = {case.question for case in FACT_CASES.lines("test")}
    assert not tested & {case.question for memory in load_fact_memories() for case in memory.questions}
