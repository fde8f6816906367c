"""Benchmarks of decisions: files, public sets, ways to ask, metrics counted by hand, and baselines."""

from dataclasses import replace

import pytest

from evaluation.decisions.benchmark import CaseOutcome, DecisionCase, Id
from evaluation.decisions.metrics import JudgedCase, best_f1, measure_cases
from evaluation.decisions.misunderstandings import CARD, PARTS, count_lines, load, load_decision_set
from evaluation.decisions.run import read_replies


def judged(applies: str | None, ranked: str = "", used: str = "", kind: str = "yes", score: float = 0.5) -> JudgedCase:
    """Return a judged question; entries are letters, with scores that halve from the first ranked one on."""
    scores: dict[Id, float] = {name: score / 2**place for place, name in enumerate(ranked)}
    return JudgedCase(DecisionCase("?", applies, kind), CaseOutcome(tuple(ranked), tuple(used), scores=scores))


CASES = [
    judged("a", "abc", "a", score=0.9),  # right
    judged("b", "abc", "a", score=0.8),  # wrong one used
    judged("c", "abc", "", score=0.2),  # missed
    judged("d", "", ""),  # not found
    judged(None, "ab", "ab", "look-alike", score=0.7),  # two wrong ones
    judged(None, "ab", "", "look-alike", score=0.1),
    judged(None, "b", "", "everyday", score=0.3),
    judged(None, "", "", "everyday"),
]


def test_measures_by_hand() -> None:
    found = measure_cases(CASES)
    assert (found["R@1"], found["R@3"], found["R@10"]) == (1 / 4, 3 / 4, 3 / 4)
    assert (found["precision"], found["recall"], found["F1"]) == (1 / 4, 1 / 4, 1 / 4)
    assert (found["look-alikes"], found["everyday"]) == (1 / 2, 0)
    threshold, best = best_f1(CASES)
    assert (threshold, round(best or 0, 6)) == (0.9, 0.4)
    also = [JudgedCase(replace(one.case, also=frozenset("b")), one.outcome) for one in CASES]
    assert measure_cases(also)["precision"] == 1 / 3


def test_misunderstandings_are_whole_and_their_card_counts_them() -> None:
    assert count_lines() in CARD.read_text(encoding="utf-8")
    for name in PARTS["keys"].splits:
        assert {line.id for line in load("keys", name)} == {line.id for line in load("entries", name)}
    more = load_decision_set("third", lookalikes=True)
    assert len(more.questions) == len(load_decision_set("third").questions) + 400
    assert {line.id for line in load("conflict-replies", "all")} == {
        line.id for split in ("dev", "heldout") for line in load("conflicts", split)
    }


@pytest.mark.parametrize(("name", "precision"), [("fourth", 0.962), ("fifth", 0.987)])
def test_written_replies_choose_among_entries_of_the_memory(name: str, precision: float) -> None:
    benchmark = load_decision_set(name, among="third")
    outcomes = read_replies(name, benchmark)
    assert {one for outcome in outcomes for one in outcome.ranked} <= {entry.id for entry in benchmark.entries}
    found = measure_cases([JudgedCase(case, one) for case, one in zip(benchmark.questions, outcomes, strict=True)])
    assert found["precision"] == pytest.approx(precision, abs=0.001)
