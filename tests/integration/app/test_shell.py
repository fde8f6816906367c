"""Commands of the shell are done by the server that has the same home open."""

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from app import compose
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.commands import Commands
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.server.shell import Write, in_server, listen
from ui.terminal.asking import for_shell

_OTHER = {"NOTED_WINDOW": "9000"}


def _nowhere(text: str, /, *, err: bool) -> None:
    """What is said is not looked at."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})


@pytest.fixture
def server(settings: Settings) -> Iterator[Services]:
    settings.make_home()
    with closing(compose(settings)) as services:
        stop = listen(settings, partial(for_shell, services))
        yield services
        stop()


@pytest.fixture
def here(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Commands that open nothing themselves."""

    def opens_nothing(opened: Settings) -> Services:
        raise AssertionError(opened)

    monkeypatch.setattr("tests.support.commands.compose", opens_nothing)
    return Commands(settings.home, NOTED_PROPOSE_LESSONS="on")


@pytest.mark.usefixtures("server")
def test_a_question_and_a_correction_are_handed_over(here: Commands) -> None:
    asked = here.json("ask", "What is akin to quick?")
    assert asked["question"] == "What is akin to quick?"
    said = here.run("clarify", "--last", "I want a word with the same meaning")
    assert said.stdout.endswith("fast\n")
    assert said.stderr.startswith("Noted: ")
    assert here.json("ask", "What is akin to enormous?")["used"]
    assert here.json("ask", "What is akin to enormous?", "--user", "somebody")["used"] == []


@pytest.mark.usefixtures("server")
def test_what_is_wrong_is_said_in_the_same_words(here: Commands) -> None:
    assert "no such conversation" in here.run("ask", "and?", "--conversation", "none", status=1).stderr
    assert "no answer yet" in here.run("clarify", "--last", "the opposite", status=1).stderr
    assert here.run("ask", " ", status=1).stderr.count("\n") == 1


def test_other_settings_another_home_and_a_server_that_ended_are_not_asked(
    server: Services, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {"user": "local", "question": "What is akin to quick?"}
    environment = {"NOTED_HOME": str(settings.home), "NOTED_EMBEDDER": "none"}
    assert in_server(settings, wanted, _nowhere) == 0
    assert in_server(Settings.load({**environment, **_OTHER}), wanted, _nowhere) is None
    assert (
        in_server(Settings.load({**environment, "NOTED_HOME": str(settings.home / "none")}), wanted, _nowhere) is None
    )
    monkeypatch.setenv("TZ", "Asia/Kolkata")  # today may be another day there
    time.tzset()
    elsewhere = in_server(settings, wanted, _nowhere)
    monkeypatch.undo()
    time.tzset()
    assert elsewhere is None
    assert server.conversations.conversations(Scope(LOCAL_PERSON), limit=5)


def test_only_the_account_may_open_it_and_a_second_server_leaves_it(settings: Settings) -> None:
    settings.make_home()
    path = settings.home / "shell.sock"
    with socket.socket(socket.AF_UNIX) as left:  # as a server leaves it that was killed
        left.bind(str(path))
    stop = listen(settings, lambda _, __: 3)
    assert path.stat().st_mode & 0o777 == 0o600
    listen(settings, lambda _, __: 4)()
    assert in_server(settings, {}, _nowhere) == 3
    stop()
    assert in_server(settings, {}, _nowhere) is None
    assert not path.exists()


def test_a_command_that_is_given_up_ends_what_it_wanted(settings: Settings) -> None:
    settings.make_home()
    ended = threading.Event()

    def without_end(_: Mapping[str, Any], write: Write) -> int:
        try:
            for number in count():
                write(str(number), err=False)
        finally:
            ended.set()
        return 0

    stop = listen(settings, without_end)

    def give_up(text: str, /, *, err: bool) -> None:
        raise KeyboardInterrupt(text, err)

    with pytest.raises(KeyboardInterrupt):
        in_server(settings, {}, give_up)
    assert ended.wait(10)
    stop()
