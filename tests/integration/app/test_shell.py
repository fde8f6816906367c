"""Shell commands run in the server that has the same home open."""

import json
import socket
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from app import compose
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.commands import Commands
from ui.server.cli_rpc import call_server, listen
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.client import answer_in_server

_OTHER = {"NOTED_WINDOW": "9000"}


WANTED = {"operation": "ask", "sent": {"question": "What is akin to quick?"}, "user": "local"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})


@pytest.fixture
def server(settings: Settings) -> Iterator[Services]:
    settings.make_home()
    with closing(compose(settings)) as services:
        stop = listen(settings, answer_in_server(services))
        yield services
        stop()


@pytest.fixture
def here(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Return commands that fail if they open a store themselves."""

    def opens_nothing(opened: Settings) -> Services:
        raise AssertionError(opened)

    monkeypatch.setattr("tests.support.commands.compose", opens_nothing)
    return Commands(settings.home, NOTED_PROPOSE_LESSONS="on")


@pytest.mark.usefixtures("server")
def test_commands_are_handed_over(here: Commands) -> None:
    assert here.json("ask", "What is akin to quick?")["question"] == "What is akin to quick?"
    assert here.run("clarify", "I want a word with the same meaning").stdout.endswith("fast\n")
    assert here.json("ask", "What is akin to enormous?")["used"]
    assert here.json("ask", "What is akin to enormous?", "--user", "somebody")["used"] == []
    assert here.run("ask", " ", status=1).stderr.count("\n") == 1


def test_other_settings_another_home_and_a_server_that_ended_are_not_asked(
    server: Services, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {"NOTED_HOME": str(settings.home), "NOTED_EMBEDDER": "none"}
    results = call_server(settings, WANTED)
    assert results is not None
    assert [result["state"] for result in results][-1] == "answered"
    assert call_server(Settings.load({**environment, **_OTHER}), WANTED) is None
    assert call_server(Settings.load({**environment, "NOTED_HOME": str(settings.home / "none")}), WANTED) is None
    monkeypatch.setenv("TZ", "Asia/Kolkata")  # with another date
    time.tzset()
    elsewhere = call_server(settings, WANTED)
    monkeypatch.undo()
    time.tzset()
    assert elsewhere is None
    assert server.conversations.conversations(Scope(LOCAL_PERSON), limit=5)


def test_only_the_account_may_open_it_and_a_second_server_leaves_it(settings: Settings) -> None:
    settings.make_home()
    path = settings.home / "shell.sock"
    with socket.socket(socket.AF_UNIX) as left:  # the socket of a killed server
        left.bind(str(path))
    stop = listen(settings, lambda _: (one for one in [{"by": 3}]))
    assert path.stat().st_mode & 0o777 == 0o600
    listen(settings, lambda _: (one for one in [{"by": 4}]))()
    assert list(call_server(settings, {}) or ()) == [{"by": 3}]
    stop()
    assert call_server(settings, {}) is None
    assert not path.exists()


def test_a_command_that_is_given_up_ends_what_it_wanted(settings: Settings) -> None:
    settings.make_home()
    ended = threading.Event()

    def without_end(_: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        try:
            for number in count():
                yield {"number": number}
        finally:
            ended.set()

    stop = listen(settings, without_end)
    results = call_server(settings, {})
    assert isinstance(results, Generator)
    assert next(results) == {"number": 0}
    results.close()
    assert ended.wait(10)
    stop()


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("line", [b"", b"garbage", b"[]", b"null", b"{}", b"\xff\xfe", b"[" * 100_000])
def test_lines_that_are_no_commands_leave_no_trace(
    settings: Settings, line: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(settings.home.absolute() / "shell.sock"))
        connection.sendall(line + b"\n")
        assert json.loads(connection.makefile("rb").readline()) == {"takes": False}
    assert not capsys.readouterr().err
