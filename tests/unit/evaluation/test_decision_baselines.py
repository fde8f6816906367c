"""The baselines: meaning, spelling, their thresholds, and whose entries they see."""

from dataclasses import replace

import pytest

from evaluation.cases import Benchmark, Case, Outcome, Stored
from evaluation.decisions.baselines import (
    BEST_F1,
    baselines,
    by_meaning,
    by_plain_sum,
    by_spelling,
    spliced_from,
)
from tests.support.memory.store import LetterPairs

BENCHMARK = Benchmark(
    (
        Stored("quick", ("what is akin to quick", "a word like quick"), "a synonym"),
        Stored("weather", ("how warm is it outside",), "in Celsius"),
    ),
    (
        Case("what is akin to quick", "quick"),
        Case("a word like quick", "quick"),
        Case("how warm is it outside today", "weather"),
        Case("zzz", None, "everyday"),
    ),
)


def test_an_entry_is_scored_by_the_nearest_of_its_questions() -> None:
    spelling, meaning = by_spelling(BENCHMARK), by_meaning(BENCHMARK, LetterPairs())
    assert spelling[0, 0] == spelling[1, 0] == 1
    assert meaning[1, 0] == pytest.approx(1)


def test_plain_sum_sees_correction_and_keys() -> None:
    entry = Stored("e", ("what is akin to quick?",), "a synonym", keys=("another word for fast", "same as speedy"))
    asked = ("what is akin to quick?", "a synonym", "another word for fast", "xyz")
    benchmark = Benchmark((entry,), tuple(Case(text, "e") for text in asked))
    question, correction, key, nothing = by_plain_sum(benchmark, LetterPairs())[:, 0]
    assert min(question, correction, key) > nothing
    alone = Benchmark((replace(entry, keys=()),), benchmark.questions[:1])
    assert by_plain_sum(alone, LetterPairs())[0] == pytest.approx(2)


def test_a_threshold_is_reached_or_not() -> None:
    outcomes = [Outcome(("a",), scores={"a": 0.9}), Outcome(("b",), scores={"b": 0.89}), Outcome()]
    used = [[outcome.used for outcome in spliced_from(outcomes, threshold)] for threshold in (0.9, None)]
    assert used == [[("a",), (), ()], [(), (), ()]]


def test_all_baselines_are_there_with_the_rule_of_the_paper_and_the_best_threshold() -> None:
    rule, *others = baselines(BENCHMARK, LetterPairs())
    assert (rule.name, rule.rule) == ("Meaning > 0.9 (MemPrompt)", "> 0.9")
    assert rule.threshold is not None
    assert 0.9 < rule.threshold < 0.9 + 1e-9
    assert [outcome.used for outcome in rule.outcomes[:2]] == [("quick",), ("quick",)]
    assert [one.rule for one in others] == [BEST_F1] * 4
    for one in others:
        assert [outcome.used for outcome in one.outcomes] == [("quick",), ("quick",), ("weather",), ()]
    assert len(baselines(BENCHMARK, None)) == 1


def test_where_nothing_is_ever_right_nothing_is_spliced() -> None:
    wrong = Benchmark(BENCHMARK.entries, (replace(BENCHMARK.questions[0], applies=None),))
    for one in baselines(wrong, None):
        assert one.threshold is None
        assert one.outcomes[0].used == ()
