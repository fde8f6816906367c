"""Drafts in the terminal, on the embedded model and over HTTP, and as the page's handlers get them."""

from pathlib import Path

import pytest

from tests.support.commands import Commands
from tests.support.servers.chat_server import ChatServer

pytestmark = pytest.mark.promise("drafts-are-taken")

SOUND = "What sounds like night?"
KNIGHT = 'You want a word that sounds the same as "night".'
MEANING = 'You want to know what "night" means.'


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def test_commands_draft_take_and_undo(commands: Commands) -> None:
    commands.run("ask", SOUND)
    shown = [
        f"* 1. {KNIGHT}  (sure of what was asked: 100%)",
        "     knight",
        f"  2. {MEANING}  (sure of what was asked: 50%)",
        "     night: nighttime, a kind of period, the opposite of day",
    ]
    for _ in range(2):  # those that there are
        assert commands.run("drafts").stdout.splitlines()[:4] == shown
    taken = commands.json("drafts", "--take", "2")
    assert [one["shown"] for one in taken["drafts"][:2]] == [False, True]
    assert "you took another than the one I chose" in commands.run("memory", "list").stdout
    assert commands.run("drafts", taken["turn"], "--undo").stdout.splitlines()[:4] == shown
    assert "you took another" not in commands.run("memory", "list").stdout
    commands.run("drafts", "--take", "2")
    commands.run("drafts", "--reset")
    assert "you took another" not in commands.run("memory", "list").stdout
    assert commands.json("drafts")["drafts"][1]["shown"]
    for wrong in (("--take", "0"), ("--take", "4"), ("--take", "1", "--undo"), ("no-such-turn",)):
        commands.run("drafts", *wrong, status=1)
    commands.run("ask", "Will it rain tomorrow?")
    assert commands.run("drafts").stdout.startswith("No other way was found to answer this.\n* 1. ")


def test_chat_drafts_takes_and_undoes(commands: Commands) -> None:
    lines = ["/drafts", "/take 2", "/take 7", "/undo", "/drafts", "/undo", "/new", "What is akin to big?", "/take 1"]
    said = commands.run("chat", text="\n".join([SOUND, *lines]).encode()).stdout
    assert f"  2. {MEANING}" in said
    assert f"* 2. {MEANING}" in said
    assert "Please say which, from 1 to 2" in said
    assert "Taken back: Of several answers, you took another than the one I chose." in said
    assert said.count(f"* 1. {KNIGHT}") == 2
    assert "Nothing was remembered in this conversation that could be taken back." in said
    assert "This was answered in one way only." in said
    assert "you took another" not in commands.run("memory", "list").stdout


def test_chat_says_that_no_draft_came(server: ChatServer, tmp_path: Path) -> None:
    server.answer = lambda body: "" if "temperature" in body else "<understanding>u</understanding><answer>a</answer>"
    commands = Commands(tmp_path, NOTED_MODEL="openai/scripted", NOTED_API_BASE=server.url)
    said = commands.run("chat", text=b"What is akin to quick?\n/drafts\n").stdout
    assert "in one way only" not in said
    assert "empty" in said
