"""`noted practice`: Ctrl-C keeps what was learnt, and the same command goes on."""

import os
import signal
from pathlib import Path

import pytest

from tests.support.commands import Commands
from tests.support.memory.loop import reply
from tests.support.servers.chat_server import ChatServer

pytestmark = pytest.mark.promise("practice-continues")

LINES = [
    "Who is a mama?\tuncle",
    "Who is a bua?\taunt",
    "Who is a bhatija?\tnephew",
    "So who is a mama?\tuncle",
    "So who is a bhatija?\tnephew",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "family.tsv"
    path.write_text("\n".join(["question\tanswer", *LINES]), encoding="utf-8")
    return path


def test_ctrl_c_stops_and_the_same_command_goes_on(tmp_path: Path, file: Path) -> None:
    asked: list[str] = []

    def answer(body: dict[str, object]) -> str:
        text = str(body["messages"])
        asked.append(text)
        if len(asked) == 4:  # the second question and its note
            os.kill(os.getpid(), signal.SIGINT)
        return f"NOTE[word {len(asked)}]: A rule." if "NOTE[key]" in text else reply("who that is", "It is an aunt.")

    with ChatServer() as server:
        server.answer = answer
        commands = Commands(tmp_path / "home", **server.settings)
        assert "Stopped." in commands.run("practice", str(file), status=130).stderr
        count = len(asked)
        done = commands.json("practice", str(file))
        questions = [text for text in asked[count:] if "NOTE[key]" not in text]
    assert (done["done"], done["of"], done["error"]) == (5, 5, "")
    assert (done["learnt_from"], done["right"], done["held_out"]) == (4, 1, 1)
    assert len(questions) == 2 + 2  # the two that were left, and the held-out one with and without the lessons
