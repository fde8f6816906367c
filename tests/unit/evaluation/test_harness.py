"""Data sets, continued logs, the reply cache, and reports that are written, read and compared."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from assistant.types import Message, MessageRole
from evaluation.harness.dataset import BadInput, Dataset
from evaluation.harness.model import MeasuredModel, prompt_hash
from evaluation.harness.report import Cell, Report, Share, Table, compare, format_cell, publish, read_report
from evaluation.harness.runner import ResultLog
from evaluation.harness.scorer import ALL, ScoreTally
from tests.support.servers.scripted import ScriptedModel


class Line(BaseModel):
    number: int


NUMBERS = Dataset("numbers", Line, ("one",))
THERE = Dataset("numbers", Line, ("one",), source="the repository of numbers")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", " is empty."),
        (b'\xef\xbb\xbf{"number": 1, "more": 2}\r\n\n{', ", line 3: Invalid JSON"),
        (b'{"number": "x"}', ", line 1: number: Input should be a valid integer"),
        (b'{"number": 1}\n\xff\xfe', " cannot be read: 'utf-8' codec"),
    ],
)
def test_dataset_says_what_is_wrong_and_where(tmp_path: Path, text: bytes, said: str) -> None:
    path = tmp_path / "numbers_one.jsonl"
    path.write_bytes(text)
    with pytest.raises(BadInput) as error:
        NUMBERS.lines("one", tmp_path)
    assert str(error.value).startswith(f"{path}{said}")
    assert "\n" not in str(error.value)


def test_dataset_that_is_missing_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        NUMBERS.lines("one", tmp_path)
    with pytest.raises(BadInput, match="from the repository of numbers"):
        THERE.lines("one", tmp_path)


def test_log_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "run" / "answers.jsonl"
    assert ResultLog(path, Line).of("a", lambda: Line(number=1)) == Line(number=1)
    path.write_text(path.read_text(encoding="utf-8") + '["b", {"num', encoding="utf-8")
    told: list[None] = []
    log = ResultLog(path, Line, lambda: told.append(None))
    assert log.of("a", lambda: pytest.fail("done twice")) == Line(number=1)
    assert log.of("b", lambda: Line(number=2)) == Line(number=2)
    assert len(told) == 2
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize("text", ["{}\n", "no json\n", '["a", {"other": 1}]\n'])
def test_log_refuses_another_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="is no log of this experiment"):
        ResultLog(path, Line)
    assert path.read_text(encoding="utf-8") == text


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


def test_reply_that_was_cut_is_not_kept(tmp_path: Path) -> None:
    kept = MeasuredModel(ScriptedModel(replies=["a long reply", "another"], piece=2), tmp_path / "replies.sqlite3")
    asked = [Message(MessageRole.USER, "q")]
    reading = kept.stream(asked)
    next(reading)
    reading.close()
    assert "".join(kept.stream(asked)) == "another"


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


def test_compare_shows_what_differs(tmp_path: Path) -> None:
    table = compare(report(0.5), report(0.75))
    assert table.rows == {"<first>: row: share": (0.5, 0.75, 0.25)}
    assert compare(report(0.5), report(0.5)).rows == {}
    with pytest.raises(BadInput, match="holds no run"):
        read_report(tmp_path)


def test_tally_is_the_mean_of_rounds() -> None:
    tally = ScoreTally()
    tally.add("way", [True, False], ["seen", ALL])
    tally.add("way", [True, True], ["seen", "seen"])
    assert tally.table("t").cells("way") == {ALL: 0.75, "seen": 1.0}
