"""From outcomes to numbers, tables, JSON and lines."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.cases import Benchmark, Case, Outcome, Stored
from evaluation.command_parts import write_json
from evaluation.decisions.baselines import Baseline
from evaluation.decisions.report import Report, as_json, report
from evaluation.decisions.running import line_of, lines_to
from evaluation.decisions.table import show
from evaluation.reading import BadInput

BENCHMARK = Benchmark(
    (Stored("a", ("one",), "x"), Stored("b", ("two",), "y")),
    (
        Case("one?", "a", "yes", "en"),
        Case("दो?", "b", "yes", "hi", groups=("half 1",)),
        Case("three?", None, "everyday", "hinglish"),
        Case("lost?", "a", "yes", "en"),
    ),
)


def outcomes() -> list[Outcome]:
    ms = {"recall": 3.0, "gate": 1.0}
    return [
        Outcome(("a", "b"), ("a",), (), {"a": 0.9, "b": 0.1}, {"a": "why", "b": "no"}, ms),
        Outcome(("a", "b"), (), ("a", "b"), {"a": 0.5, "b": 0.25}, {"a": "why", "b": "no"}, ms),
        Outcome(ms=ms),
        Outcome(error="The model did not answer."),
    ]


def reported() -> Report:
    return report("A title", BENCHMARK, outcomes(), [Baseline("other", "> 1", None, tuple(outcomes()))])


def test_what_was_answered_is_counted_in_all_english_mixed_each_language_and_the_groups_of_the_benchmark() -> None:
    sizes = {name: summary.questions for name, summary in reported().groups.items()}
    assert sizes == {"all": 3, "en": 1, "mixed": 2, "hi": 1, "half 1": 1, "hinglish": 1}
    assert (reported().failed, [method.summary.questions for method in reported().methods]) == (1, [3, 3])
    assert reported().groups["en"].recall == 1
    assert reported().groups["mixed"].recall == 0
    assert reported().groups["hinglish"].recall is None


def test_the_json_holds_every_number(tmp_path: Path) -> None:
    write_json(tmp_path / "R", as_json(reported()))
    kept = json.loads((tmp_path / "R").read_text(encoding="utf-8"))
    noted, other = kept["methods"]
    assert noted["calibration"] == pytest.approx((0.1 + 0.5) / 2)
    assert other["calibration"] is None
    assert noted["best_f1"] == pytest.approx(2 / 3, abs=1e-4)
    assert (noted["recall_at"]["5"], noted["unrelated"], noted["look_alikes"]) == (1, 0, None)
    assert kept["groups"]["mixed"]["questions"] == 2


def shown(told: Report) -> str:
    text = io.StringIO()
    show(told, Console(file=text, width=126, highlight=False))
    return text.getvalue()


def test_the_table_shows_every_method_and_group_uncut() -> None:
    text = shown(reported())
    assert "…" not in text
    for part in ("A title", "Noted", "other", "mixed", "half 1", "1 questions were not answered", "best F1"):
        assert part in text
    assert "–" in shown(report("", BENCHMARK, [Outcome(error="x")] * 4, []))


def test_one_line_per_question(tmp_path: Path) -> None:
    line = json.loads(line_of(BENCHMARK.questions[0], outcomes()[0]))
    assert line == {
        "question": "one?",
        "ranked": ["a", "b"],
        "offered": [],
        "used": ["a"],
        "probability": {"a": 0.9, "b": 0.1},
        "reason": {"a": "why", "b": "no"},
        "ms": {"recall": 3.0, "gate": 1.0},
    }
    with lines_to(tmp_path / "P") as keep:
        keep(Case("lone \ud800 surrogate", None), Outcome(error="No."))
        written = (tmp_path / "P").read_text(encoding="utf-8")  # it is there before the file is closed
    assert json.loads(written)["question"] == "lone \ud800 surrogate"
    assert json.loads(written)["error"] == "No."


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"), lines_to(tmp_path / "no" / "P"):
        pass
    with pytest.raises(BadInput, match="cannot be written"):
        write_json(tmp_path, {})
