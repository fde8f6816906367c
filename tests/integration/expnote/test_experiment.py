"""The experiment with lessons runs, goes on, and is reported; also with a model over HTTP."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluation.command_line import command_line
from evaluation.expnote.running import Plan, run
from evaluation.expnote.tasks.letters import letters
from evaluation.expnote.tasks.table import table
from tests.support.memory.loop import reply
from tests.support.servers.chat_server import ChatServer


@pytest.fixture(autouse=True)
def by_wording_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTED_EMBEDDER", "none")


def test_it_teaches_tests_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    sizes = ["--seeds", "1", "--cases", "3", "--tests", "4", "--task", "letters"]
    ran = CliRunner().invoke(command_line(), ["run", "expnote", "--out", str(tmp_path), *sizes])
    assert ran.exit_code == 0, ran.output
    assert "letters, all" in ran.stdout
    steps = (tmp_path / "answers.jsonl").read_text(encoding="utf-8")
    again = CliRunner().invoke(command_line(), ["run", "expnote", "--out", str(tmp_path), *sizes])
    assert again.stdout == ran.stdout
    assert (tmp_path / "answers.jsonl").read_text(encoding="utf-8") == steps
    unknown = CliRunner().invoke(command_line(), ["run", "expnote", "--out", str(tmp_path), "--task", "chess"])
    assert unknown.exit_code != 0


def test_what_is_learnt_moves_the_curve_and_the_flips(tmp_path: Path) -> None:
    measured = run(tmp_path, Plan({"table": table}, seeds=1, cases=20, tests=10), lambda _: None)["table"]
    assert measured.share("both") == measured.share("negative") > measured.share("disabled")
    assert measured.lessons["both"][0] > 0
    assert measured.flips["wrong to right"] > 0


def test_a_connected_model_notes_its_own_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(body: dict[str, object]) -> str:
        text = str(body["messages"])
        if "NOTE[key]" in text:
            return "THINK: by places\nNOTE[splice, letter]: Take the letter at each place, and join them."
        return reply("the letters, spliced", "It is xyz", notes="1" if '"lesson"' in text else "")

    with ChatServer() as server:
        monkeypatch.setenv("NOTED_API_BASE", server.url)
        monkeypatch.setenv("NOTED_API_KEY", "sk-test")
        server.answer = answer
        plan = Plan({"letters": letters}, seeds=1, cases=1, tests=2, model="openai/test")
        measured = run(tmp_path, plan, lambda _: None)["letters"]
    assert measured.lessons["both"] == [1]
    assert measured.share("both") == 0
    assert '"lesson": "Take the letter at each place, and join them."' in (tmp_path / "answers.jsonl").read_text()
