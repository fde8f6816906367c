"""The chat: as a process of its own at a terminal of its own, and with lines from a pipe."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.commands import Commands
from tests.support.memory.keys import wait_until
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.served import ROOT

_SECONDS = 120
_SECONDS_TO_END = 15
_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A terminal with the chat in it."""

    def __init__(self, home: Path) -> None:
        self._own, inner = pty.openpty()
        told = {"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none", "TERM": "xterm", "PYTHONUTF8": "1"}
        command, environment = [sys.executable, "app.py", "chat"], os.environ | told
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
        )
        os.close(inner)
        self.seen = ""
        self._read = 0

    def wait_for(self, text: str) -> None:
        """Read until the text has come since the last one that was waited for."""
        deadline = time.monotonic() + _SECONDS
        while (found := self.seen.find(text, self._read)) < 0:
            came = self._take(deadline - time.monotonic())
            assert came, f"{text!r} did not come: {self.seen[self._read :]!r}"
        self._read = found + len(text)

    def type(self, line: str) -> None:
        os.write(self._own, f"{line}\r".encode())

    def leave(self) -> int:
        """Interrupt until the chat ends; its exit code.

        Between showing that it waits for a line and waiting for it, Python's line editor overlooks an interrupt.
        """
        deadline = time.monotonic() + _SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_SECONDS_TO_END)
        while self._take(1):
            pass
        return self.process.wait(_SECONDS)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._own)

    def _take(self, seconds: float) -> bool:
        """Read what comes within so many seconds; False where nothing did, or nobody has the other end any more."""
        data = b""
        if select.select([self._own], [], [], max(0.0, seconds))[0]:
            with suppress(OSError):
                data = os.read(self._own, 65536)
        self.seen += _STYLE.sub("", data.decode("utf-8", "replace"))
        return bool(data)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.close()


def test_a_conversation_at_a_terminal_knows_what_was_said_before_is_corrected_undone_and_left(
    here: Commands, terminal: Terminal
) -> None:
    here.run("remember", "What is akin to quick?", "I want a word with the same meaning")
    terminal.wait_for("/help says what you can do here.")
    terminal.type("What is akin to enormous?")
    terminal.wait_for("I understood this as: ")
    terminal.wait_for("From memory [1]: I want a word with the same meaning")
    terminal.wait_for("> ")
    terminal.type("/no ਉਹੀ ਮਤਲਬ, same meaning")
    terminal.wait_for("I understood this as: ")
    terminal.wait_for("You just told me this")
    terminal.wait_for("Saved: ਉਹੀ ਮਤਲਬ, same meaning")
    terminal.wait_for("> ")
    terminal.type("/undo")
    terminal.wait_for("What is akin to enormous?")
    terminal.wait_for("> ")
    terminal.type("\x1b[A")  # the line before
    terminal.wait_for("Nothing was saved")
    terminal.wait_for("> ")
    assert terminal.leave() == 0
    assert "Traceback" not in terminal.seen


def test_an_interrupt_stops_the_answer_and_the_conversation_goes_on(tmp_path: Path, server: ChatServer) -> None:
    half = "<understanding>a \x1b]0;title\x07 town</understanding>\n<answer>Half an ans"
    server.replies(faults.stalls_after(half))
    here = Commands(tmp_path, **server.settings)

    def interrupt() -> None:
        wait_until(lambda: server.requests, _SECONDS)
        time.sleep(1.0)  # until half of the answer is shown
        os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor(1) as person:
        person.submit(interrupt)
        said = here.run("chat", text=b"Which town?\n/help\n")
        shown = said.stdout
    assert "Half an ans" in shown
    assert "\x1b]0" not in shown
    assert shown.index("Half an ans") < shown.index("> /help")
    assert "Stopped." in said.output
    assert server.requests[0].disconnected.wait(20)


def test_lines_from_a_pipe_read_like_a_conversation(here: Commands) -> None:
    lines = [
        "What is akin to quick?", "/no a word with the same meaning", "What is akin to tall?", "/exclude 2",
        "/exclude", "/yes", "/memory", "/why", "/undo", "/foo", "/no", "//slash", "nahi, mera matlab ulta", "/new",
        "/yes", "/help", "\udcff\udcfe", "/memory 同じ", "/verify", "/wrong 9", "/quit", "never asked",
    ]  # fmt: skip
    result = here.run("chat", "--user", "ann", text="\n".join(lines).encode("utf-8", "surrogateescape"))
    parts = dict(zip(lines, re.split(r"(?m)^> ", result.stdout)[1:], strict=False))
    assert "I understood this as: I can't answer this one." in parts[lines[0]]
    assert "fast" in parts[lines[1]]
    assert "large" in parts[lines[2]]
    assert "a word with the same meaning" in parts["/memory"]
    assert "There is no /foo here." in parts["/foo"]
    assert "There is no /verify here." in parts["/verify"]
    assert "I understood this as" in parts["//slash"]
    assert "Ctrl-C stops an answer" in parts["/help"]
    assert "never asked" not in result.stdout
    assert "Traceback" not in result.output
    assert "Saved: a word with the same meaning" in result.stdout


@pytest.mark.promise("reasons-by-every-interface")
def test_reason_is_corrected_in_a_chat(here: Commands) -> None:
    lines = ["My manager is Dana.", "Who is my manager?", "/why", "/wrong my manager is Kim --number 1"]
    said = here.run("chat", text="\n".join(lines).encode()).stdout
    before, _, after = said.partition("> /wrong")
    assert "1. My manager is Dana" in before
    assert "\nKim.\n" in after
