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


def test_an_answer_is_drafted_taken_and_taken_back(commands: Commands) -> None:
    commands.run("ask", SOUND)
    shown = [
        f"* 1. {KNIGHT}  (sure of what was asked: 100%)",
        "     knight",
        f"  2. {MEANING}  (sure of what was asked: 50%)",
        "     night: nighttime, a kind of period, the opposite of day",
    ]
    assert commands.run("drafts").stdout.splitlines()[:4] == shown
    assert commands.run("drafts").stdout.splitlines()[:4] == shown  # those that there are
    taken = commands.json("drafts", "--take", "2")
    assert [(one["answer"], one["shown"]) for one in taken["drafts"][:2]] == [
        ("knight", False),
        ("night: nighttime, a kind of period, the opposite of day", True),
    ]
    assert "you took another than the one I chose" in commands.run("memory", "list").stdout
    assert commands.run("drafts", taken["turn"], "--undo").stdout.splitlines()[:4] == shown
    assert "you took another" not in commands.run("memory", "list").stdout
    commands.run("drafts", "--take", "2")
    commands.run("drafts", "--reset")
    assert "you took another" not in commands.run("memory", "list").stdout
    assert commands.json("drafts")["drafts"][1]["shown"]
    for number in ("0", "4"):
        commands.run("drafts", "--take", number, status=1)
    commands.run("drafts", "--take", "1", "--undo", status=1)


def test_there_may_be_one_way_only(commands: Commands) -> None:
    commands.run("ask", "Will it rain tomorrow?")
    assert commands.run("drafts").stdout.startswith("No other way was found to answer this.\n* 1. ")
    assert len(commands.json("drafts")["drafts"]) == 1
    commands.run("drafts", "no-such-turn", status=1)


def test_the_chat_does_so_too(commands: Commands) -> None:
    lines = [SOUND, "/drafts", "/take 2", "/take 7", "/take 1", "/new", "What is the opposite of hot?", "/take 1"]
    said = commands.run("chat", text="\n".join(lines).encode()).stdout
    assert f"  2. {MEANING}" in said
    assert f"* 2. {MEANING}" in said
    assert "Please say which, from 1 to 2" in said
    assert said.count(f"* 1. {KNIGHT}") == 2
    assert "This was answered in one way only." in said


def test_in_the_chat_undo_takes_back_that_another_was_taken(commands: Commands) -> None:
    lines = [SOUND, "/drafts", "/take 2", "/undo", "/drafts", "/undo"]
    said = commands.run("chat", text="\n".join(lines).encode()).stdout.partition("> /undo")[2]
    assert "Taken back: Of several answers, you took another than the one I chose." in said
    assert f"* 1. {KNIGHT}" in said
    assert "Nothing was remembered in this conversation that could be taken back." in said
    assert "you took another" not in commands.run("memory", "list").stdout


def test_where_no_way_could_be_written_the_chat_says_only_that(server: ChatServer, tmp_path: Path) -> None:
    server.answer = lambda body: "" if "temperature" in body else "<understanding>u</understanding><answer>a</answer>"
    commands = Commands(tmp_path, NOTED_MODEL="openai/scripted", NOTED_API_BASE=server.url)
    said = commands.run("chat", text=b"What is akin to quick?\n/drafts\n").stdout
    assert "in one way only" not in said
    assert "empty" in said


def test_over_http(server: ChatServer, tmp_path: Path) -> None:
    drafts = {0.0: "kwik", 0.7: "fast", None: "kwik"}
    server.answer = lambda body: (
        "It is so." if "Say what was asked." in body["messages"][0]["content"]
        else f"<understanding>It is so.</understanding>\n<answer>{drafts[body.get('temperature')]}</answer>"
    )  # fmt: skip
    commands = Commands(tmp_path, NOTED_MODEL="openai/scripted", NOTED_API_BASE=server.url)
    commands.run("ask", SOUND)
    assert [one["scores"] for one in commands.json("drafts")["drafts"]] == [{"round_trip": 1.0}] * 2
    assert len(server.requests) == 1 + 3 + 2
