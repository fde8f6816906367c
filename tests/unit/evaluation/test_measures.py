"""Files of the experiments, their metrics counted by hand, their baselines, and the fit of the gate."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest
from pydantic import BaseModel

from assistant.types import Message, MessageRole
from evaluation.decisions.baselines import BASELINES
from evaluation.decisions.benchmark import Benchmark, CaseOutcome, DecisionCase, Id, StoredEntry
from evaluation.decisions.metrics import JudgedCase, best_f1, f1, measure_cases
from evaluation.decisions.misunderstandings import PARTS, load, load_decision_set
from evaluation.gate.data import FACT_CASES, load_fact_memories
from evaluation.gate.fitting import Pairs, fit
from evaluation.harness.dataset import BadInput, Dataset
from evaluation.harness.model import prompt_hash
from evaluation.harness.runner import ResultLog
from tests.support.memory.store import LetterPairEmbedder


class Line(BaseModel):
    number: int


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'\xef\xbb\xbf{"number": 1, "more": 2}\r\n\n{', ", line 3: Invalid JSON"),
        (b'{"number": 1}\n\xff\xfe', " cannot be read: 'utf-8' codec"),
        (None, "from the repository of numbers"),
    ],
)
def test_dataset_says_what_is_wrong_and_where(tmp_path: Path, text: bytes | None, said: str) -> None:
    path = tmp_path / "numbers_one.jsonl"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(BadInput) as error:
        Dataset("numbers", Line, ("one",), source="the repository of numbers").lines("one", tmp_path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_log_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "run" / "answers.jsonl"
    assert ResultLog(path, Line).of("a", lambda: Line(number=1)) == Line(number=1)
    path.write_text(path.read_text(encoding="utf-8") + '["b", {"num', encoding="utf-8")
    log = ResultLog(path, Line)
    assert log.of("a", lambda: pytest.fail("done twice")) == Line(number=1)
    assert log.of("b", lambda: Line(number=2)) == Line(number=2)
    path.write_text('["a", {"other": 1}]\n', encoding="utf-8")
    with pytest.raises(BadInput, match="is no log of this experiment"):
        ResultLog(path, Line)
    assert path.read_text(encoding="utf-8") == '["a", {"other": 1}]\n'


def test_prompt_hash_ignores_markers_and_days() -> None:
    def hash_of(marker: str, day: str, said: str = "x") -> str:
        block = f'<clarification {marker}>\n{{"said": "{said}", "on": "{day}"}}\n</clarification {marker}>'
        asked = f"{block}\nToday is Sunday, {day}.\nQuestion: q"
        return prompt_hash("m", [Message(MessageRole.USER, asked)])

    assert hash_of("012345", "2026-01-01") == hash_of("fedcba", "2027-02-02")
    assert hash_of("012345", "2026-01-01") != hash_of("012345", "2026-01-01", "y")


@pytest.mark.parametrize(
    ("part", "line", "said"),
    [
        ("entries", {"question": " "}, "line 1: question: "),
        ("questions", {"applies": "b"}, 'line 1: no entry has the id "b".'),
        ("keys", {"id": "b"}, 'no entry has the id "b".'),
    ],
)
def test_set_with_a_fault_is_refused(tmp_path: Path, part: str, line: dict[str, Any], said: str) -> None:
    lines: dict[str, dict[str, Any]] = {
        "entries": {"id": "a", "question": "akin to quick?", "wrong_understanding": "", "feedback": "b", "lang": "en"},
        "questions": {"question": "akin to slow?", "applies": "a", "kind": "yes", "lang": "en"},
        "keys": {"id": "a", "keys": ["of the same meaning"]},
    }
    for name, whole in lines.items():
        written = json.dumps(whole | line if name == part else whole)
        (tmp_path / f"x_{name}.jsonl").write_text(written, encoding="utf-8")
    with pytest.raises(BadInput) as error:
        load_decision_set("x", folder=tmp_path)
    assert said in str(error.value)


def test_misunderstandings_are_whole() -> None:
    assert all(part.lines(split) for part in PARTS.values() for split in part.splits)
    for name in PARTS["keys"].splits:
        assert {line.id for line in load("keys", name)} == {line.id for line in load("entries", name)}
    assert {line["id"] for line in load("conflict-replies", "all")} == {
        line.id for split in ("dev", "heldout") for line in load("conflicts", split)
    }


def judged(applies: str | None, ranked: str = "", used: str = "", kind: str = "yes", score: float = 0.5) -> JudgedCase:
    """Return a judged question; entries are letters, with scores that halve from the first ranked one on."""
    scores: dict[Id, float] = {name: score / 2**place for place, name in enumerate(ranked)}
    return JudgedCase(DecisionCase("?", applies, kind), CaseOutcome(tuple(ranked), tuple(used), scores=scores))


def test_decisions_are_measured() -> None:
    cases = [
        judged("a", "abc", "a", score=0.9),  # right
        judged("b", "abc", "a", score=0.8),  # wrong one used
        judged("c", "abc", "", score=0.2),  # missed
        judged("d", "", ""),  # not found
        judged(None, "ab", "ab", "look-alike", score=0.7),  # two wrong ones
        judged(None, "ab", "", "look-alike", score=0.1),
        judged(None, "b", "", "everyday", score=0.3),
        judged(None, "", "", "everyday"),
    ]
    found = measure_cases(cases)
    assert (found["R@1"], found["R@5"]) == (1 / 4, 3 / 4)
    assert (found["precision"], found["recall"], found["F1"]) == (1 / 4, 1 / 4, 1 / 4)
    assert (found["look-alikes"], found["everyday"]) == (1 / 2, 0)
    assert best_f1(cases) == pytest.approx(0.4)
    also = [JudgedCase(replace(one.case, also=frozenset("b")), one.outcome) for one in cases]
    assert measure_cases(also)["precision"] == 1 / 3
    assert {value for name, value in measure_cases([]).items() if name != "questions"} == {None}
    assert (f1(None, None), f1(None, 0.0), f1(0.0, 0.5)) == (None, 0.0, 0.0)


def test_baselines_see_questions() -> None:
    asked = {"quick": "a word like quick", "weather": "how warm is it outside"}
    entries = tuple(StoredEntry(name, question, "in Celsius") for name, question in asked.items())
    cases = (*(DecisionCase(question, name) for name, question in asked.items()), DecisionCase("zzz", None))
    for name in ("MemPrompt, cosine > 0.9", "embedding search", "plain sum"):
        outcomes = BASELINES[name].outcomes(Benchmark(entries, cases), LetterPairEmbedder())
        assert [one.used for one in outcomes] == [("quick",), ("weather",), ()]


def test_fit_finds_what_speaks_for_and_against() -> None:
    chance, weights = numpy.random.default_rng(0), numpy.array([9.0, -6.0, 0.0])
    table = chance.random((3_000, 3))
    wanted = (chance.random(3_000) < 1 / (1 + numpy.exp(2.0 - table @ weights))).astype(float)
    intercept, curves = fit(Pairs(("for", "copied", "nothing"), table, wanted, numpy.ones(3_000)))
    assert intercept < 0.0
    assert curves["for"][-1] > 5.0
    assert curves["copied"][-1] < -3.0
    assert abs(curves["nothing"][-1]) < 1.0


def test_gate_is_fitted_on_no_test_question() -> None:
    tested = {case.question for case in FACT_CASES.lines("test")}
    assert not tested & {case.question for memory in load_fact_memories() for case in memory.questions}
