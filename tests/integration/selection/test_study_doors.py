"""Study questions from the command line: text, CSV that can be practised, JSON, and what a failure leaves."""

import csv
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


def test_questions_are_shown_kept_and_practised(here: Commands, text: Path, tmp_path: Path) -> None:
    shown = here.run("questions", str(text))
    assert shown.stdout.splitlines() == [
        "Who found the ring?", "  Dana", "Who found the ring?", "  Dana", "Who found the ring?", "  Dana",
    ]  # fmt: skip
    assert "3 places, up to 3 questions each: up to 18 calls of the model." in shown.stderr
    assert "3 questions, about 3 of 3 places." in shown.stderr
    all_of_them = here.run("questions", str(text), "--all").stdout
    assert "  - What was found?  (close to the text: 0%, the text gives this answer: 0%)" in all_of_them
    out = tmp_path / "made.csv"
    said = here.run("questions", str(text), "--out", str(out))
    assert (said.stdout, f"practice {out}" in said.stderr) == ("", True)
    assert [*csv.reader(out.read_text().splitlines())][:2] == [["question", "answer"], ["Who found the ring?", "Dana"]]
    practised = here.run("practice", str(out))
    assert "2 questions to learn from, 1 held out" in practised.stderr


def test_answers_and_other_formats(here: Commands, text: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_text("in 1867\nKim\n", encoding="utf-8")
    made = here.json("questions", str(text), "--answers", str(answers), "--samples", "1")
    assert [(one["question"], one["answer"], one["others"]) for one in made["questions"]] == [
        ("What was found?", "in 1867", []),
        ("What was found?", "Kim", []),
    ]
    for name in ("made.json", "made.txt"):
        here.run("questions", str(text), "--out", str(tmp_path / name))
    assert json.loads((tmp_path / "made.json").read_text())[0]["question"] == "Who found the ring?"
    assert (tmp_path / "made.txt").read_text().startswith("Who found the ring?\n  Dana\n")


@pytest.mark.parametrize("wrong", [("--out", "made.pdf"), ("--samples", "6"), ("--answers", "not there")])
def test_what_cannot_be_is_said(here: Commands, text: Path, wrong: tuple[str, str]) -> None:
    here.run("questions", str(text), *wrong, status=2 if wrong[0] == "--samples" else 1)


def test_a_text_that_says_nothing_is_told(here: Commands, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("Hm.\n")
    said = here.run("questions", str(tmp_path / "empty.txt"), status=1)
    assert "There is nothing in it that could be asked about." in said.stderr


def test_what_was_made_before_a_model_failed_is_kept(server: ChatServer, text: Path, tmp_path: Path) -> None:
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
