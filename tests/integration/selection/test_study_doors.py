"""Study questions from the command line: text, CSV that can be practised, JSON, and what a failure leaves."""

import json
from pathlib import Path

import pytest

from tests.integration.selection.test_study import TEXT, model
from tests.support.commands import Commands
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer

pytestmark = pytest.mark.promise("study-questions-have-answers", "study-is-bounded")


@pytest.fixture
def here(server: ChatServer, tmp_path: Path) -> Commands:
    server.answer = model
    return Commands(tmp_path, NOTED_MODEL="openai/scripted", NOTED_API_BASE=server.url)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_questions_are_made_and_practised(here: Commands, text: Path, tmp_path: Path) -> None:
    shown = here.run("questions", str(text))
    assert shown.stdout.splitlines() == ["Who found the ring?", "  Dana"] * 3
    assert "3 places, up to 3 questions each: up to 18 calls of the model." in shown.stderr
    out, answers = tmp_path / "made.csv", tmp_path / "answers.txt"
    said = here.run("questions", str(text), "--out", str(out))
    assert (said.stdout, f"practice {out}" in said.stderr) == ("", True)
    assert "2 questions to learn from, 1 held out" in here.run("practice", str(out)).stderr
    answers.write_text("in 1867\nKim\n", encoding="utf-8")
    made = here.json("questions", str(text), "--answers", str(answers), "--samples", "1")
    assert [(one["question"], one["answer"], one["others"]) for one in made["questions"]] == [
        ("What was found?", "in 1867", []),
        ("What was found?", "Kim", []),
    ]
    here.run("questions", str(text), "--out", str(tmp_path / "made.json"))
    assert json.loads((tmp_path / "made.json").read_text())[0]["question"] == "Who found the ring?"
    text.write_text("Hm.\n")
    said = here.run("questions", str(text), status=1)
    assert "There is nothing in it that could be asked about." in said.stderr


def test_questions_before_a_failure_are_kept(server: ChatServer, text: Path, tmp_path: Path) -> None:
    commands = Commands(tmp_path, NOTED_MODEL="openai/scripted", NOTED_API_BASE=server.url)
    answered = []

    def answer(body: dict[str, object]) -> str:
        answered.append(body)
        if len(answered) == 2:
            server.replies(*[faults.status(401)] * 9)
        return model(body)

    server.answer = answer
    out = tmp_path / "made.csv"
    said = commands.run("questions", str(text), "--samples", "1", "--out", str(out), status=1)
    assert "3 places, up to 1 questions each: up to 3 calls of the model." in said.stderr
    assert out.read_text() == "question,answer\n" + "What was found?,something\n" * 2
