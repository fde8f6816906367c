"""Data sets, continued logs, the reply cache, and reports that are written, read and compared."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from assistant.types import Message, MessageRole
from evaluation.harness.model import MeasuredModel, prompt_hash
from evaluation.harness.report import Cell, Report, Share, Table, format_cell, publish, read_report
from evaluation.harness.runner import ResultLog
from tests.support.servers.scripted import ScriptedModel


class Line(BaseModel):
    number: int


def test_log_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "run" / "answers.jsonl"
    assert ResultLog(path, Line).of("a", lambda: Line(number=1)) == Line(number=1)
    path.write_text(path.read_text(encoding="utf-8") + '["b", {"num', encoding="utf-8")
    told: list[None] = []
    log = ResultLog(path, Line, lambda: told.append(None))
    assert log.of("a", lambda: pytest.fail("done twice")) == Line(number=1)
    assert log.of("b", lambda: Line(number=2)) == Line(number=2)
    assert (len(log), log.all(), len(told)) == (2, [Line(number=1), Line(number=2)], 2)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_model_is_not_asked_the_same_twice(tmp_path: Path) -> None:
    asked = [Message(MessageRole.SYSTEM, "s"), Message(MessageRole.USER, "q")]
    model = ScriptedModel(replies=["first", "second"])
    kept = MeasuredModel(model, tmp_path / "replies.sqlite3")
    assert "".join(kept.stream(asked)) == "first"
    first = kept.take_cost()
    assert "".join(kept.stream(asked)) == "first"
    assert (first.calls, first) == (1, kept.take_cost())
    assert "".join(kept.stream(asked[1:])) == "second"
    assert len(model.asked) == 2


def test_prompt_hash_ignores_markers_and_days() -> None:
    def block(marker: str, day: str, said: str = "x") -> Sequence[Message]:
        row = f'{{"said": "{said}", "on": "{day}"}}'
        asked = f"Today is Sunday, {day}.\nQuestion: q"
        return [Message(MessageRole.USER, f"<clarification {marker}>\n{row}\n</clarification {marker}>\n{asked}")]

    one = prompt_hash("m", block("012345", "2026-01-01"))
    assert one == prompt_hash("m", block("fedcba", "2027-02-02"))
    assert one != prompt_hash("m", block("012345", "2026-01-01", "y"))
    assert one != prompt_hash("n", block("012345", "2026-01-01"))


def report(share: float) -> Report:
    cells: dict[str, Cell] = {"share": share, "of": Share(hits=1, of=4), "number": 1_200, "words": "it", "none": None}
    return Report(name="test", tables=(Table.of("<first>", {"row": cells, "other": {}}),), model="m")


def test_report_is_written_read_and_shown(tmp_path: Path) -> None:
    publish(report(0.123456), tmp_path / "new")
    read = read_report(tmp_path / "new")
    assert read == report(0.1235)
    assert [format_cell(cell) for cell in read.table("<first>").rows["row"]] == [
        "0.123", "1 of 4 (0.250)", "1,200", "it", "–",
    ]  # fmt: skip
