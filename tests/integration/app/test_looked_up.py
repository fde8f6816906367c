"""What was looked up for an answer, in a terminal."""

from pathlib import Path

import pytest

from tests.support.commands import Commands
from tests.support.memory.looking import HEAD, MANAGER, QUESTION, kept_in, look
from tests.support.servers.chat_server import ChatServer
from ui.server.identity import LOCAL_PERSON

pytestmark = pytest.mark.promise("lookups-are-shown")

BEGUN = f"{HEAD}<answer>In {look('Dana | manager is | ?; Zed | boss is | ?')}"
LINES = "Looked up: Dana | manager is | ?\nLooked up: Zed | boss is | ? (nothing)\n"


def test_a_line_says_it(tmp_path: Path, server: ChatServer) -> None:
    kept_in(tmp_path, LOCAL_PERSON, MANAGER)
    here = Commands(
        tmp_path,
        NOTED_MODEL="openai/test",
        NOTED_API_BASE=server.url,
        NOTED_API_KEY="none",
        NOTED_PROPOSE_LESSONS="off",
    )
    server.replies(*[BEGUN, "Delhi.</answer>"] * 3)
    answered = here.run("ask", QUESTION)
    assert answered.stdout.endswith("In Delhi.\n")
    shown = f"{LINES}From memory [1]: Dana manager is Kim\n  The model looked it up while it answered."
    assert shown in answered.stderr
    assert shown in here.run("chat", text=QUESTION.encode()).stdout
    looked = here.json("ask", QUESTION)["looked_up"]
    assert [(one["asked"], one["outcome"], len(one["found"])) for one in looked] == [
        ("Dana | manager is | ?", "found", 1), ("Zed | boss is | ?", "nothing", 0),
    ]  # fmt: skip
