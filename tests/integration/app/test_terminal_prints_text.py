"""What a terminal is shown: text that steers nothing, whoever wrote it, and what was looked up for an answer."""

import json
from pathlib import Path
from unittest.mock import Mock

import pytest

from assistant.types import Scope
from memory_store.language.word_translation import READINGS
from tests.support.commands import Commands
from tests.support.memory.looking import HEAD, MANAGER, QUESTION, kept_in, look
from tests.support.memory.store import clarification, open_store
from tests.support.servers.chat_server import ChatServer
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import agree, echo

pytestmark = pytest.mark.promise("terminal-text")

HOSTILE = "a\x1b[31mred\x1b]0;owned\x07\x9b2J \u202edecrease\u202c b"
STEERING = set("\x1b\x07\x9b\u202e\u202c")


@pytest.fixture
def on_a_model(tmp_path: Path, server: ChatServer) -> Commands:
    return Commands(tmp_path, **server.settings)


def test_a_model_cannot_steer_the_terminal(on_a_model: Commands, server: ChatServer) -> None:
    server.replies(*[f"<understanding>{HOSTILE}</understanding><answer>{HOSTILE}</answer>"] * 2)
    plain = on_a_model.run("ask", "What?")
    assert not set(plain.stdout + plain.stderr) & STEERING
    told = on_a_model.run("ask", "What?", "--json").stdout
    assert not set(told) & STEERING
    assert "decrease" in json.loads(told)["answer"]


def test_what_was_kept_before_steers_nothing(here: Commands, tmp_path: Path) -> None:
    here.run("models")
    store = open_store(f"sqlite:///{tmp_path / 'ledger.sqlite3'}", str(tmp_path / "index"), None, READINGS)
    store.memory.remember(clarification(HOSTILE, HOSTILE), Scope(LOCAL_PERSON))
    store.close()
    for command in (("list",), ("list", "--json"), ("ask", HOSTILE), ("chat",)):
        shown = here.run(*command, text=f"/list\n{HOSTILE}\n".encode())
        assert not set(shown.stdout + shown.stderr) & STEERING
    here.run("token", "--label", HOSTILE)
    assert not set(here.run("tokens").stdout) & STEERING


def test_no_sentence_or_question_steers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    confirm = Mock(return_value=True)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", confirm)
    agree(f"Erase {HOSTILE}?")
    echo(HOSTILE)
    assert not set(confirm.call_args.args[0] + capsys.readouterr().out) & STEERING


BEGUN = f"{HEAD}<answer>In {look('Dana | manager is | ?; Zed | boss is | ?')}"
LINES = "Looked up: Dana | manager is | ?\nLooked up: Zed | boss is | ? (nothing)\n"


@pytest.mark.promise("lookups-are-shown")
def test_lookups_are_a_line_each(tmp_path: Path, server: ChatServer) -> None:
    kept_in(tmp_path, LOCAL_PERSON, MANAGER)
    here = Commands(tmp_path, **server.settings)
    server.replies(*[BEGUN, "Delhi.</answer>"] * 3)
    answered = here.run("ask", QUESTION)
    assert answered.stdout.endswith("In Delhi.\n")
    shown = f"{LINES}From memory [1]: Dana manager is Kim\n  The model looked it up while it answered."
    assert shown in answered.stderr
    assert shown in here.run("chat", text=QUESTION.encode()).stdout
    looked = here.json("ask", QUESTION)["looked_up"]
    assert [(one["asked"], one["outcome"], len(one["found"])) for one in looked] == [
        ("Dana | manager is | ?", "found", 1), ("Zed | boss is | ?", "nothing", 0),
    ]  # fmt: skip
