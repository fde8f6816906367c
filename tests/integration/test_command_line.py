"""The command line as a person or a script uses it: every command is a process of its own, on the embedded model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app import compose
from assistant import Settings
from memory_store.backup import restore_backup
from ui.command_line import command_line

ROOT = Path(__file__).parents[2]


class Shell:
    """Runs commands on one data directory."""

    def __init__(self, home: Path) -> None:
        self._environment = {**os.environ, "NOTED_HOME": str(home), "NOTED_EMBEDDER": "none"}

    def run(self, *arguments: str, text: str = "", status: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "app.py", *arguments]
        result = subprocess.run(
            command,
            cwd=ROOT,
            env=self._environment,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == status, result.stderr
        assert "Traceback" not in result.stderr
        return result

    def json(self, *arguments: str, text: str = "") -> Any:
        return json.loads(self.run(*arguments, "--json", text=text).stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs commands in this process, for what needs no process of its own."""
    monkeypatch.setenv("NOTED_HOME", str(tmp_path))
    monkeypatch.setenv("NOTED_EMBEDDER", "none")

    def run(*arguments: str, text: bytes = b"", status: int = 0) -> Any:
        result = CliRunner().invoke(command_line(compose, lambda settings: None, restore_backup), arguments, input=text)
        assert result.exit_code == status, result.output
        assert status != 0 or result.exception is None
        return result

    return run


def test_ask_clarify_and_ask_another_question_each_in_a_process_of_its_own(
    shell: Shell, here: Callable[..., Any]
) -> None:
    asked = shell.json("ask", "What is akin to quick?")
    assert asked.keys() >= {"turn", "question", "understanding", "answer", "model", "candidates", "status", "ms"}
    assert asked["candidates"] == []
    assert shell.run("clarify", asked["turn"], "I want a word with the same meaning").stdout.endswith("fast\n")
    other = shell.json("ask", "What is akin to enormous?")
    assert other["used"] == [other["candidates"][0]["entry"]]
    candidate = other["candidates"][0]
    assert candidate.keys() == {"entry", "shared", "scores", "decision", "probability", "reason"}
    assert candidate["decision"] == "use"
    assert "akin to" in candidate["reason"]
    theirs = json.loads(here("ask", "What is akin to enormous?", "--user", "somebody", "--json").stdout)
    assert theirs["candidates"] == []


def test_the_memory_is_listed_rebuilt_and_forgotten_from(here: Callable[..., Any]) -> None:
    turn = json.loads(here("ask", "What is akin to quick?", "--json").stdout)["turn"]
    here("clarify", turn, "I want a word with the same meaning")
    assert here("memory", "list", "--user", "somebody").stdout == ""
    listed = json.loads(here("memory", "list", "--json").stdout)
    assert [entry["text"] for entry in listed] == ["I want a word with the same meaning"]
    here("memory", "rebuild")
    here("memory", "forget", listed[0]["entry"], "--user", "somebody", "--yes", status=1)
    assert "Say --yes" in here("memory", "forget", listed[0]["entry"], status=1).stderr
    receipt = json.loads(here("memory", "forget", listed[0]["entry"], "--yes", "--json").stdout)
    assert (receipt["erased"]["clarifications"], receipt["erased"]["turns"], receipt["complete"]) == (1, 2, True)
    assert json.loads(here("memory", "list", "--json").stdout) == []
    assert json.loads(here("ask", "What is akin to enormous?", "--json").stdout)["candidates"] == []


def test_everything_is_exported_forgotten_imported_backed_up_and_restored(
    here: Callable[..., Any], tmp_path: Path
) -> None:
    turn = json.loads(here("ask", "What is akin to quick?", "--json").stdout)["turn"]
    here("clarify", turn, "I want a word with the same meaning")
    export, backup = str(tmp_path / "export.jsonl"), str(tmp_path / "backup.zip")
    assert "Exported: 4 records" in here("memory", "export", export).stderr
    assert Path(export).stat().st_mode & 0o777 == 0o600
    assert "1 entries" not in here("memory", "backup", backup).stderr
    assert "Please name one entry" in here("memory", "forget", "--yes", status=1).stderr
    forgotten = here("memory", "forget", "--all", "--yes").stdout
    assert "Erased: 1 clarification, 2 wordings, 2 turns of conversations" in forgotten
    assert "No file here holds it any more." in forgotten
    assert json.loads(here("memory", "list", "--json").stdout) == []
    assert "Imported: 1 entry, 2 turns" in here("memory", "import", export, "--user", "somebody").stdout
    assert "There already: 1 entry" in here("memory", "import", export, "--user", "somebody").stdout
    assert "no export of Noted" in here("memory", "import", backup, status=1).stderr
    assert "cannot be read" in here("memory", "import", "nowhere", status=1).stderr
    assert "no backup of Noted" in here("memory", "restore", export, "--yes", status=1).stderr
    restored = here("memory", "restore", backup, "--yes").stderr
    assert "Restored: 1 entry, 2 turns" in restored
    assert "Erased again, because it was erased since: 1 erasure." in restored
    for person in ("local", "somebody"):
        assert json.loads(here("memory", "list", "--json", "--user", person).stdout) == []


def test_a_correction_in_a_conversation(here: Callable[..., Any]) -> None:
    asked = json.loads(here("ask", "What is akin to quick?", "--json").stdout)
    again = json.loads(here("ask", "nahi, mera matlab ulta", "--conversation", asked["conversation"], "--json").stdout)
    assert (again["question"], again["answer"]) == ("What is akin to quick?", "slow")


@pytest.mark.parametrize(
    ("question", "complaint"),
    [(b"", "Please write something first."), (b"x" * 1_000_000, "please shorten it to 8,000.")],
)
def test_bad_input_is_one_sentence_and_a_failure(here: Callable[..., Any], question: bytes, complaint: str) -> None:
    result = here("ask", "-", "--json", text=question, status=1)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert complaint in result.stderr


@pytest.mark.parametrize(
    "question",
    [
        b"a\x00b",
        b"a\xffb",
        "\u202eabc\u200b".encode(),
        b"<script>alert(1)</script>",
        b"![x](http://evil.example/x.png)",
    ],
)
def test_strange_questions_are_answered(here: Callable[..., Any], question: bytes) -> None:
    assert json.loads(here("ask", "-", "--json", text=question).stdout)["status"] == "ok"


def test_unknown_things_are_one_sentence(here: Callable[..., Any]) -> None:
    assert "not yours" in here("clarify", "no-such-turn", "x", status=1).stderr
    assert "sign in" in here("ask", "x", "--user", "", status=1).stderr
    here("no-such-command", status=2)


def test_models_says_what_is_in_use_and_why(here: Callable[..., Any]) -> None:
    shown = here("models").stdout
    assert "NOTED_MODEL" in shown
    assert "by spelling alone" in shown


def test_without_a_command_the_page_is_served(tmp_path: Path) -> None:
    served: list[Settings] = []
    result = CliRunner().invoke(
        command_line(compose, served.append, restore_backup), ["serve", "--port", "7999", "--home", str(tmp_path)]
    )
    assert (result.exit_code, served[0].port) == (0, 7999)
    CliRunner().invoke(command_line(compose, served.append, restore_backup), [])
    assert len(served) == 2


def test_an_entry_is_offered_accepted_used_by_others_and_withdrawn(
    here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = json.loads(here("ask", "What is akin to quick?", "--user", "ann", "--json").stdout)["turn"]
    here("clarify", turn, "I want a word with the same meaning", "--user", "ann")
    (entry,) = json.loads(here("memory", "list", "--user", "ann", "--json").stdout)
    offer = here("memory", "offer", entry["entry"], "--user", "ann").stdout.split()[0]
    assert "not yours" in here("memory", "offer", entry["entry"], "--user", "bob", status=1).output
    (offered,) = json.loads(here("memory", "offers", "--json").stdout)
    assert (offered["offer"], offered["state"], offered["who"]) == (offer, "offered", "ann")
    assert "ann: 'What is akin to quick?' means" in here("memory", "offers").stdout

    monkeypatch.setenv("NOTED_CURATORS", "cora")
    for command in (["offers"], ["accept", offer], ["decline", offer]):
        assert "Only a curator" in here("memory", *command, status=1).output
    assert "Please write" in here("memory", "accept", offer, "--text", " ", "--user", "cora", status=1).output
    here("memory", "accept", offer, "--text", "It wants a word with the same meaning", "--user", "cora")
    used = here("ask", "What is akin to enormous?", "--user", "bob").output
    assert "From memory, shared with everyone since 20" in used
    assert "It wants a word with the same meaning" in used
    (candidate,) = json.loads(here("ask", "What is akin to enormous?", "--user", "bob", "--json").stdout)["candidates"]
    assert candidate["shared"] is True

    here("memory", "withdraw", entry["entry"], "--user", "ann")
    assert json.loads(here("ask", "What is akin to happy?", "--user", "bob", "--json").stdout)["candidates"] == []
    here("memory", "offer", entry["entry"], "--user", "ann")
    here("memory", "decline", offer, "--reason", "not now", "--user", "cora")
    assert "declined" in here("memory", "offer", entry["entry"], "--user", "ann", status=1).output
    assert "Nobody offers anything" in here("memory", "offers", "--user", "cora").output
