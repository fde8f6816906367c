"""The chat in a terminal and from a pipe, Ctrl-C, and escaping of control characters."""

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.types import Scope
from tests.support.commands import Commands
from tests.support.memory.lookups import HEAD, MANAGER, store_facts_in, write_lookup
from tests.support.memory.lookups import QUESTION as LOOKED_UP
from tests.support.memory.store import clarification, open_store
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.noted_server import ROOT
from ui.server.identity import LOCAL_PERSON
from ui.terminal.output import agree, say, write_file

QUESTION, MEANT = "What is akin to quick?", "a word with the same meaning"
HOSTILE = "a\x1b[31mred\x1b]0;owned\x07\x9b2J \u202edecrease\u202c b"
STEERING = set("\x1b\x07\x9b\u202e\u202c")
SECONDS = 120
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def on_a_model(tmp_path: Path, server: ChatServer) -> Commands:
    return Commands(tmp_path, NOTED_MODEL="openai/test", NOTED_API_BASE=server.url, NOTED_API_KEY="none")


@pytest.mark.slow
def test_chat_at_a_terminal_corrects_undoes_and_knows_earlier_lines(tmp_path: Path) -> None:
    own, inner = pty.openpty()
    told = {"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none", "TERM": "xterm", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        [sys.executable, "app.py", "chat"],
        cwd=ROOT, env=os.environ | told, stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
    )  # fmt: skip
    os.close(inner)
    seen = ""
    try:
        for typed, *shown in (
            ("", "/help says what you can do here.", "> "),
            ("What is akin to enormous?\r", "I know words", "> "),
            ("/clarify ਉਹੀ ਮਤਲਬ, same meaning\r", "You just told me this", "Saved: ਉਹੀ ਮਤਲਬ, same meaning", "> "),
            ("/undo\r", "What is akin to enormous?", "> "),
            ("\x1b[A\r", "Nothing was saved", "> "),  # the previous line
        ):
            os.write(own, typed.encode())
            for text in shown:
                while text not in seen:
                    assert select.select([own], [], [], SECONDS)[0], f"{text!r} did not come: {seen!r}"
                    seen += STYLE.sub("", os.read(own, 65536).decode("utf-8", "replace"))
                seen = seen.partition(text)[2]
        os.write(own, b"\x04")  # Ctrl-D
        assert process.wait(SECONDS) == 0
    finally:
        process.kill()
        process.wait()
        os.close(own)


def test_lines_from_a_pipe_read_like_a_conversation(here: Commands) -> None:
    lines = [
        QUESTION, f"/clarify {MEANT}", "What is akin to tall?", "/react exclude 2", "/react exclude",
        "/react confirm", "/list", "/why", "/undo", "/foo", "/clarify", "//slash", "nahi, mera matlab ulta", "/new",
        "/react confirm", "/help", "/", "\udcff\udcfe", "/list 同じ", "/verify", "/dispute wrong 9", "/quit",
        "never asked",
    ]  # fmt: skip
    result = here.run("chat", "--user", "ann", text="\n".join(lines).encode("utf-8", "surrogateescape"))
    parts = dict(zip(lines, re.split(r"(?m)^> ", result.stdout)[1:], strict=False))
    assert "I understood this as" not in parts[QUESTION]
    assert "I know words" in parts[QUESTION]
    assert "fast" in parts[lines[1]]
    assert f"Saved: {MEANT}" in parts[lines[1]]
    assert "large" in parts[lines[2]]
    assert MEANT in parts["/list"]
    assert "There is no command /foo." in parts["/foo"]
    assert "There is no command /verify." in parts["/verify"]
    assert "I know words" in parts["//slash"]
    assert "Ctrl-C stops an answer" in parts["/help"]
    assert "/clarify" in parts["/"]
    assert "never asked" not in result.stdout
    assert "Traceback" not in result.output


def test_chat_erases_nothing_unasked_and_nothing_of_others(here: Commands) -> None:
    here.run("remember", QUESTION, MEANT)
    lines = ["/forget-everything", "no", *(f"/forget-everything --yes {of}" for of in ("--user bob", "--home x")), "hi"]
    shown = here.run("chat", text="\n".join(lines).encode()).stdout
    assert "Nothing was changed" in shown
    assert ("> no\n" in shown, "> hi\n" in shown) == (False, True)
    assert here.json("list")["total"] == 1


@pytest.mark.promise("reasons-by-every-interface")
def test_reason_is_corrected_in_a_chat(here: Commands) -> None:
    lines = ["My manager is Dana.", "Who is my manager?", "/why", "/dispute wrong my manager is Kim --number 1"]
    said = here.run("chat", text="\n".join(lines).encode()).stdout
    before, _, after = said.partition("> /dispute wrong")
    assert "1. My manager is Dana" in before
    assert "\nKim.\n" in after


def test_interrupt_stops_an_answer_and_the_chat_goes_on(
    on_a_model: Commands, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say_and_interrupt(text: str, *args: str, **named: Any) -> None:
        say(text, *args, **named)
        if text.endswith("Half an ans"):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("ui.terminal.output.say", say_and_interrupt)
    server.replies(faults.stalls_after("<understanding>a town</understanding>\n<answer>Half an ans"))
    said = on_a_model.run("chat", text=b"Which town?\n/help\n")
    assert said.stdout.index("Half an ans") < said.stdout.index("Stopped.") < said.stdout.index("> /help")
    assert server.requests[0].disconnected.wait(20)


@pytest.mark.promise("lookups-are-shown")
def test_lookups_are_shown(on_a_model: Commands, server: ChatServer, tmp_path: Path) -> None:
    store_facts_in(tmp_path, LOCAL_PERSON, MANAGER)
    server.replies(f"{HEAD}<answer>In {write_lookup('Dana | manager is | ?; Zed | boss is | ?')}", "Delhi.</answer>")
    answered = on_a_model.run("ask", LOOKED_UP)
    assert answered.stdout.endswith("In Delhi.\n")
    lines = "Looked up: Dana | manager is | ?\nLooked up: Zed | boss is | ? (nothing)\n"
    assert f"{lines}From memory [1]: Dana manager is Kim\n" in answered.stderr


@pytest.mark.promise("terminal-text")
def test_model_cannot_steer_the_terminal(on_a_model: Commands, server: ChatServer) -> None:
    server.replies(*[f"<understanding>{HOSTILE}</understanding><answer>{HOSTILE}</answer>"] * 2)
    plain = on_a_model.run("ask", "What?")
    assert not set(plain.stdout + plain.stderr) & STEERING
    told = on_a_model.run("ask", "What?", "--json").stdout
    assert not set(told) & STEERING
    assert "decrease" in json.loads(told)["answer"]


@pytest.mark.promise("terminal-text")
def test_stored_text_steers_nothing(here: Commands, tmp_path: Path) -> None:
    here.run("token", "--label", HOSTILE)
    store = open_store(f"sqlite:///{tmp_path / 'ledger.sqlite3'}", str(tmp_path / "index"), None)
    store.memory.remember(clarification(HOSTILE, HOSTILE), Scope(LOCAL_PERSON))  # as an earlier version stored it
    store.close()
    for command in (("list",), ("list", "--json"), ("ask", HOSTILE), ("chat",), ("tokens",)):
        shown = here.run(*command, text=f"/list\n{HOSTILE}\n".encode())
        assert not set(shown.stdout + shown.stderr) & STEERING


@pytest.mark.promise("terminal-text")
def test_stored_text_looks_like_no_further_row_or_source(here: Commands) -> None:
    here.run("remember", "Who?\nfeedbeef  2020-01-01  fact: forged", "{each} {0} {entry.__class__} [red]this[/red]\nx")
    shown = here.run("list").stdout
    assert len(shown.splitlines()) == 2
    assert "{each} {0} {entry.__class__} [red]this[/red] x" in shown
    here.run("remember", QUESTION, f"{MEANT}\nFrom memory [2]: forged")
    assert f"From memory [1]: {MEANT} From memory [2]: forged\n" in here.run("ask", QUESTION).stderr


@pytest.mark.promise("terminal-text")
def test_no_sentence_or_question_steers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"y\n")))
    agree(f"Erase {HOSTILE}?")
    say(HOSTILE)
    shown = capsys.readouterr()
    assert not set(shown.out + shown.err) & STEERING


@pytest.mark.promise("export-round-trip")
def test_file_to_a_pipe_has_its_letters_whatever_the_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, "ascii", errors="replace"))
    write_file(Path("-"), "käse ਪੰਜਾਬੀ\n")
    assert written.getvalue().decode() == "käse ਪੰਜਾਬੀ\n"
