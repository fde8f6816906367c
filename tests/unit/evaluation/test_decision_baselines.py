"""The baselines: BM25, meaning, spelling, their thresholds, and whose entries they see."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.cases import Benchmark, Case, Outcome, Stored
from evaluation.decisions.baselines import (
    BEST_F1,
    BM25,
    baselines,
    by_meaning,
    by_spelling,
    by_words,
    outcomes_of,
    spliced_from,
)
from memory_store.language.normalize import fold
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


def test_bm25_by_hand() -> None:
    index = BM25(["a b", "a c c", "d"])
    rarity = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    length = 1.2 * (0.25 + 0.75 * 3 / 2)
    assert index.scores("c") == [0, pytest.approx(rarity * 2 * 2.2 / (2 + length)), 0]


@given(st.lists(st.text("abc ", max_size=12), max_size=6), st.text("abcd ", max_size=12))
def test_bm25_is_never_negative_and_0_exactly_without_a_common_word(documents: list[str], question: str) -> None:
    scores = BM25(documents).scores(question)
    common = [bool(set(document.split()) & set(question.split())) for document in documents]
    assert [score > 0 for score in scores] == common


def test_an_entry_is_scored_by_the_nearest_of_its_questions() -> None:
    spelling, meaning = by_spelling(BENCHMARK, fold), by_meaning(BENCHMARK, LetterPairs(), str)
    assert spelling[0, 0] == spelling[1, 0] == 1
    assert meaning[1, 0] == pytest.approx(1)


def test_without_a_common_word_there_is_no_candidate() -> None:
    ranked = [outcome.ranked for outcome in outcomes_of(BENCHMARK, by_words(BENCHMARK))]
    assert ranked == [("quick", "weather"), ("quick",), ("weather", "quick"), ()]


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
    assert [one.rule for one in others] == [BEST_F1] * 5
    for one in others:
        assert [outcome.used for outcome in one.outcomes] == [("quick",), ("quick",), ("weather",), ()]
    assert len(baselines(BENCHMARK, None)) == 2


def test_where_nothing_is_ever_right_nothing_is_spliced() -> None:
    wrong = Benchmark(BENCHMARK.entries, (replace(BENCHMARK.questions[0], applies=None),))
    for one in baselines(wrong, None):
        assert one.threshold is None
        assert one.outcomes[0].used == ()
