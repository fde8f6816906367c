"""Benchmarks of decisions: files, public sets, ways to ask, metrics counted by hand, and baselines."""

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from evaluation.decisions.baselines import BASELINES, score_by_plain_sum
from evaluation.decisions.benchmark import Benchmark, CaseOutcome, DecisionCase, Id, StoredEntry
from evaluation.decisions.metrics import JudgedCase, best_f1, f1, measure_cases
from evaluation.decisions.misunderstandings import PARTS, load, load_decision_set
from evaluation.decisions.run import read_replies
from evaluation.harness.dataset import BadInput
from tests.support.memory.store import LetterPairEmbedder

ENTRY = {"id": "a", "question": "what is akin to quick ?", "wrong_understanding": "", "feedback": "same", "lang": "en"}
QUESTION = {"question": "what is akin to slow ?", "applies": "a", "kind": "yes", "lang": "en"}
KEYS = {"id": "a", "keys": ["a word that means the same"]}


def written(folder: Path, **files: list[Any]) -> Path:
    lines: dict[str, list[Any]] = {"entries": [ENTRY], "questions": [QUESTION], "keys": [KEYS], **files}
    for name, some in lines.items():
        (folder / f"x_{name}.jsonl").write_text("\n".join(map(json.dumps, some)), encoding="utf-8")
    return folder


def test_set_is_read(tmp_path: Path) -> None:
    asked = {**QUESTION, "applies": None, "kind": "look-alike", "lang": "hi"}
    written(tmp_path, entries=[{**ENTRY, "other": [1]}, {**ENTRY, "id": 7}], questions=[QUESTION, asked])
    benchmark = load_decision_set("x", folder=tmp_path)
    first, second = benchmark.entries
    assert (first.id, first.question, first.keys) == ("a", "what is akin to quick ?", tuple(KEYS["keys"]))
    assert (second.keys, second.id) == ((), 7)
    assert benchmark.questions[0] == DecisionCase("what is akin to slow ?", "a", "yes", "en")
    assert benchmark.questions[1].is_look_alike
    assert not load_decision_set("x", keys=False, folder=tmp_path).entries[0].keys


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"entries": [{**ENTRY, "id": 1}, {**ENTRY, "id": "1"}]}, 'line 2: the id "1" is there twice.'),
        ({"entries": [{**ENTRY, "question": " "}]}, "line 1: question: "),
        ({"entries": [{**ENTRY, "id": True}]}, "line 1: id"),
        ({"questions": [{**QUESTION, "applies": "b"}]}, 'line 1: no entry has the id "b".'),
        ({"keys": [{**KEYS, "id": "b"}]}, 'no entry has the id "b".'),
        ({"keys": [{**KEYS, "keys": "x"}]}, "line 1: keys"),
    ],
)
def test_set_with_a_fault_is_refused(tmp_path: Path, files: dict[str, list[Any]], said: str) -> None:
    written(tmp_path, **files)
    with pytest.raises(BadInput) as error:
        load_decision_set("x", folder=tmp_path)
    assert said in str(error.value)


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
    assert (found["R@1"], found["R@5"]) == (1 / 4, 3 / 4)
    assert (found["precision"], found["recall"], found["F1"]) == (1 / 4, 1 / 4, 1 / 4)
    assert (found["look-alikes"], found["everyday"]) == (1 / 2, 0)
    assert best_f1(CASES) == pytest.approx(0.4)
    also = [JudgedCase(replace(one.case, also=frozenset("b")), one.outcome) for one in CASES]
    assert measure_cases(also)["precision"] == 1 / 3


def test_share_of_nothing_is_none() -> None:
    assert {value for name, value in measure_cases([]).items() if name != "questions"} == {None}
    assert (f1(None, None), f1(None, 0.0), f1(0.0, 0.5)) == (None, 0.0, 0.0)
    assert measure_cases([judged("a", "a", "")])["precision"] is None


def test_baselines_see_questions_corrections_and_keys() -> None:
    entries = (
        StoredEntry("quick", "a word like quick", "a synonym"),
        StoredEntry("weather", "how warm is it outside", "in Celsius", keys=("temperature",)),
    )
    cases = (
        DecisionCase("a word like quick", "quick"),
        DecisionCase("how warm is it outside", "weather"),
        DecisionCase("zzz", None),
    )
    for name in ("MemPrompt, cosine > 0.9", "embedding search", "plain sum"):
        outcomes = BASELINES[name].outcomes(Benchmark(entries, cases), LetterPairEmbedder())
        assert [one.used for one in outcomes] == [("quick",), ("weather",), ()]
    asked = (DecisionCase("temperature", "weather"), DecisionCase("in Celsius", "weather"), DecisionCase("xyz", None))
    key, correction, nothing = score_by_plain_sum(Benchmark(entries[1:], asked), LetterPairEmbedder())[:, 0]
    assert min(key, correction) > nothing


@pytest.mark.skipif(find_spec("mem0") is None, reason="needs mem0ai")
def test_mem0_finds_what_was_said() -> None:
    entries = (
        StoredEntry("quick", "what is akin to quick", "a synonym"),
        StoredEntry("warm", "how warm is it", "Celsius"),
    )
    outcomes = BASELINES["mem0"].outcomes(
        Benchmark(entries, (DecisionCase("how warm is it", "warm"),)), LetterPairEmbedder()
    )
    assert outcomes[0].ranked[0] == "warm"


def test_misunderstandings_are_whole() -> None:
    assert all(part.lines(split) for part in PARTS.values() for split in part.splits)
    for name in PARTS["keys"].splits:
        assert {line.id for line in load("keys", name)} == {line.id for line in load("entries", name)}
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
