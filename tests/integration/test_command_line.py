"""The command line as a person or a script uses it: every command is a process of its own, on the embedded model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


class Shell:
    """Runs commands on one data directory."""

    def __init__(self, home: Path) -> None:
        self._environment = {**os.environ, "NOTED_HOME": str(home), "NOTED_EMBEDDER": "none"}

    def run(self, *arguments: str, text: str = "", status: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "app.py", *arguments]
        result = subprocess.run(
            command, cwd=ROOT, env=self._environment, input=text, capture_output=True, text=True, errors="surrogateescape"
        )
        assert result.returncode == status, result.stderr
        assert "Traceback" not in result.stderr
        return result

    def json(self, *arguments: str, text: str = "") -> Any:
        return json.loads(self.run(*arguments, "--json", text=text).stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_ask_clarify_and_ask_another_question_each_in_a_process_of_its_own(shell: Shell) -> None:
    asked = shell.json("ask", "What is akin to quick?")
    assert asked.keys() >= {"turn", "question", "understanding", "answer", "model", "candidates", "status", "ms"}
    assert asked["candidates"] == []
    assert shell.run("clarify", asked["turn"], "I want a word with the same meaning").stdout.endswith("fast\n")
    other = shell.json("ask", "What is akin to enormous?")
    assert other["used"] == [other["candidates"][0]["entry"]]
    candidate = other["candidates"][0]
    assert candidate.keys() == {"entry", "scores", "decision", "probability", "reason"}
    assert candidate["decision"] == "use"
    assert "akin to" in candidate["reason"]
    assert shell.json("ask", "What is akin to enormous?", "--user", "somebody")["candidates"] == []
    assert shell.run("memory", "list", "--user", "somebody").stdout == ""
    listed = shell.json("memory", "list")
    assert [entry["text"] for entry in listed] == ["I want a word with the same meaning"]
    shell.run("memory", "rebuild")
    shell.run("memory", "delete", listed[0]["entry"], "--user", "somebody", status=1)
    shell.run("memory", "delete", listed[0]["entry"])
    assert shell.json("memory", "list") == []
    assert shell.json("ask", "What is akin to enormous?")["candidates"] == []


def test_a_correction_in_a_conversation(shell: Shell) -> None:
    asked = shell.json("ask", "What is akin to quick?")
    again = shell.json("ask", "nahi, mera matlab ulta", "--conversation", asked["conversation"])
    assert (again["question"], again["answer"]) == ("What is akin to quick?", "slow")


@pytest.mark.parametrize(
    ("question", "complaint"), [("", "Please write something first."), ("x" * 1_000_000, "please shorten it to 8,000.")]
)
def test_bad_input_is_one_sentence_and_a_failure(shell: Shell, question: str, complaint: str) -> None:
    result = shell.run("ask", "-", "--json", text=question, status=1)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert complaint in result.stderr


@pytest.mark.parametrize("question", ["a\x00b", "a\udc80b", "\u202eabc\u200b", "<script>alert(1)</script>", "![x](http://evil.example/x.png)"])
def test_strange_questions_are_answered(shell: Shell, question: str) -> None:
    assert shell.json("ask", "-", text=question)["status"] == "ok"


def test_unknown_things_are_one_sentence(shell: Shell) -> None:
    assert "not yours" in shell.run("clarify", "no-such-turn", "x", status=1).stderr
    assert "sign in" in shell.run("ask", "x", "--user", "", status=1).stderr
    shell.run("no-such-command", status=2)


def test_models_says_what_is_in_use_and_why(shell: Shell) -> None:
    shown = shell.run("models").stdout
    assert "NOTED_MODEL" in shown
    assert "by spelling alone" in shown
