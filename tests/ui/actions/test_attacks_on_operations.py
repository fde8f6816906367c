"""What an attacker tries at the operations: entries unnamed, seals left out, rows that look like others, cut lines."""

import io
import json
import socket
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from app import compose
from assistant.errors import InputError, NotFound
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.commands import Commands
from ui.actions.call import Call
from ui.actions.table import OPERATIONS
from ui.programs.transport import Threads
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.server.shell import listen
from ui.terminal.client import answer_in_server
from ui.terminal.command_parts import write_file
from ui.terminal.show import print_json

ANN, BOB, CURATOR = "ann", "bob", LOCAL_PERSON


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    settings.make_home()
    with closing(compose(settings)) as services:
        yield services


def do(services: Services, who: str, name: str, **sent: Any) -> Any:
    *_, last = OPERATIONS[name].results(Call(services, Scope(who)), sent)
    return last


def saved(services: Services, who: str, question: str = "What is akin to quick?", text: str = "a synonym") -> str:
    return str(do(services, who, "remember", question=question, text=text)["entry"])


@pytest.mark.parametrize("name", ["forget", "offer", "withdraw", "resume", "revert"])
def test_an_entry_that_is_not_named_is_not_the_last_one(services: Services, name: str) -> None:
    asked = do(services, ANN, "ask", question="What is akin to quick?")
    do(services, ANN, "clarify", turn=asked["turn"], text="a word with the same meaning")
    with pytest.raises(InputError):
        do(services, ANN, name, entry="")
    assert do(services, ANN, "list")["total"] == 1
    assert do(services, ANN, "erases", entry="")["result"]["turns"] == 2


def test_an_entry_is_named_by_how_it_begins_among_ones_own(services: Services) -> None:
    entry = saved(services, ANN)
    for start in (entry[:8], entry):
        assert do(services, ANN, "erases", entry=start)["result"] is not None
        with pytest.raises(NotFound):
            do(services, BOB, "erases", entry=start)
    with pytest.raises(NotFound):
        do(services, ANN, "forget", entry="-")


def test_naming_an_entry_reads_no_others(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = saved(services, ANN)
    limits: list[int] = []
    find = type(services.assistant.memory).find

    def counting(memory: Any, scope: Scope, wanted: Any, limit: int = 50, offset: int = 0) -> Any:
        limits.append(limit)
        return find(memory, scope, wanted, limit, offset)

    monkeypatch.setattr(type(services.assistant.memory), "find", counting)
    do(services, ANN, "erases", entry=entry[:8])
    assert limits == [2]


@pytest.mark.promise("curator-sees-every-field")
def test_an_offer_is_accepted_by_its_seal_only(services: Services) -> None:
    offer = do(services, ANN, "offer", entry=saved(services, ANN))["id"]
    with pytest.raises(InputError):
        do(services, CURATOR, "accept", offer=offer, seal="")
    (seen,) = do(services, CURATOR, "offers")["offers"]
    assert do(services, CURATOR, "accept", offer=offer, seal=seen["seal"])["state"] == "accepted"


@pytest.mark.promise("curator-sees-every-field")
def test_a_curator_at_the_command_line_sees_what_else_everyone_gets(tmp_path: Path) -> None:
    here = Commands(tmp_path)
    entry = here.json("remember", "What is akin to quick?", "a synonym", "--user", ANN)["entry"]
    here.run("change-key", entry, "--new", "akin to something", "--user", ANN)
    here.run("offer", entry, "--user", ANN, "--yes")
    shown = here.run("offers").stdout
    for line in here.json("offers")["offers"][0]["further"]:
        assert line in shown


@pytest.mark.promise("terminal-text")
def test_no_stored_text_looks_like_a_further_row(tmp_path: Path) -> None:
    here = Commands(tmp_path)
    here.run("remember", "Who?\nfeedbeef  2020-01-01  fact: forged", "{each} {0} {entry.__class__} [red]this[/red]\nx")
    shown = here.run("list").stdout
    assert len(shown.splitlines()) == 2
    assert "{each} {0} {entry.__class__} [red]this[/red] x" in shown


@pytest.mark.promise("terminal-text")
def test_no_stored_text_looks_like_a_further_source(tmp_path: Path) -> None:
    here = Commands(tmp_path)
    here.run("remember", "What is akin to quick?", "a word with the same meaning\nFrom memory [2]: forged")
    shown = here.run("ask", "What is akin to quick?").stderr
    assert "From memory [1]: a word with the same meaning From memory [2]: forged\n" in shown


@pytest.mark.promise("export-round-trip")
def test_a_file_to_a_pipe_has_its_letters_whatever_the_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, "ascii", errors="replace"))
    write_file(Path("-"), "käse ਪੰਜਾਬੀ\n")
    assert written.getvalue().decode() == "käse ਪੰਜਾਬੀ\n"


def test_a_lone_slash_ends_no_chat(tmp_path: Path) -> None:
    assert "/clarify" in Commands(tmp_path).run("chat", text=b"/\n/ \n").stdout


def test_an_answer_in_a_piped_chat_takes_one_line(tmp_path: Path) -> None:
    shown = Commands(tmp_path).run("chat", text=b"hello\n/forget-everything\nno\nhi\n")
    assert "Nothing was changed" in shown.stdout
    assert "> hi\n" in shown.stdout


def test_a_command_in_a_chat_is_for_nobody_else(tmp_path: Path) -> None:
    here = Commands(tmp_path)
    here.run("remember", "What is akin to quick?", "a synonym")
    here.run("chat", text=b"/forget-everything --yes --user bob\n/forget-everything --yes --home elsewhere\n")
    assert here.json("list")["total"] == 1


class Result(dict[str, Any]):
    """One that can be watched."""


def results(watched: list[weakref.ref[Result]]) -> Iterator[Result]:
    for _ in range(3):
        one = Result(error="")
        watched.append(weakref.ref(one))
        yield one
        del one
    assert watched[0]() is None


def test_of_results_so_far_only_the_last_is_kept(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    async def coming(*_: object) -> AsyncIterator[Result]:
        for one in results([]):
            yield one
            del one

    monkeypatch.setattr(Threads, "results", coming)
    assert anyio.run(Threads(services, 2).last, "learn", Scope(ANN), {}) == {"error": ""}
    assert print_json(results([])) == 0


@pytest.mark.parametrize("line", [b"", b"garbage", b"[]", b"null", b"{}", b"\xff\xfe", b"[" * 100_000])
def test_lines_that_are_no_commands_leave_no_trace(
    services: Services, settings: Settings, line: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    stop = listen(settings, answer_in_server(services))
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(settings.home.absolute() / "shell.sock"))
            connection.sendall(line + b"\n")
            told = connection.makefile("rb").readline()
    finally:
        stop()
    assert json.loads(told) == {"takes": False}
    assert not capsys.readouterr().err
