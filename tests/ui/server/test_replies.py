"""Replies of weak and thinking models, from the model's server to the client: nothing broken is shown."""

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.support.people.api_client import ApiClient, token_for
from tests.support.servers.chat_server import ChatServer, Exchange

U = "<understanding>You want a face.</understanding>\n"


@pytest.fixture
def program(remote_home: Path, remote_url: str, chat_server: ChatServer) -> Iterator[ApiClient]:
    assert chat_server
    with ApiClient(remote_url, token_for(f"person-{uuid.uuid4()}", remote_home)) as client:
        yield client


def in_pieces(*pieces: str) -> Callable[[Exchange], None]:
    def answer(exchange: Exchange) -> None:
        exchange.begin()
        for piece in pieces:
            exchange.delta({"content": piece})
        exchange.finish()

    return answer


@pytest.mark.parametrize(("pieces", "answer"), [
    ((U, "<answer>\ud83d", "\ude00</answer>"), "😀"),
    ((U, "<answer>a\ud83d", "</answer>"), "a\ufffd"),
    ((U, "<answer><think>hm</think>a face<|eot_id|></answer><|im_end|>"), "a face"),
])  # fmt: skip
def test_reply_is_shown_and_stored_clean(
    program: ApiClient, chat_server: ChatServer, remote_home: Path, pieces: tuple[str, ...], answer: str
) -> None:
    chat_server.replies(in_pieces(*pieces), f"{U}<answer>next</answer>")
    streamed = [told | {"doing": ""} for _, told in program.stream("ask", question="a smiling face?") if told]
    told = streamed[-1]
    assert (told["answer"], told["understanding"], told["state"]) == (answer, "You want a face.", "answered")
    program.call("ask", question="and another?", conversation=told["conversation"])
    prompt = str(chat_server.requests[-1].body["messages"])
    with closing(sqlite3.connect(remote_home / "ledger.sqlite3")) as ledger:
        (stored,) = ledger.execute("SELECT quote(turns.raw) FROM turns WHERE id = ?", (told["turn"],)).fetchone()
    for hidden in ("hm", "think", "THINK", "im_end", "eot_id", "channel", "return|", "\\ud8"):
        assert hidden not in stored
        assert hidden not in str(streamed)
        assert hidden not in prompt.partition("a smiling face?")[2]


@pytest.mark.parametrize("reply", ["", "<think>hm", "<answer></answer>"])
def test_empty_reply_is_asked_for_once_more(program: ApiClient, chat_server: ChatServer, reply: str) -> None:
    asked = len(chat_server.requests)
    chat_server.replies(reply, f"{U}<answer>a face</answer>", reply, reply)
    assert program.call("ask", question="a smiling face?")["answer"] == "a face"
    told = program.call("ask", question="a smiling face?")
    assert (told["state"], told["error"]) == ("failed", "The model sent an empty answer. Try again.")
    assert len(chat_server.requests) == asked + 4


@pytest.mark.parametrize("text", ["\ud83d", "a \ude00 face?", "\ude00\ud83d"])
def test_half_an_emoji_is_no_failure(program: ApiClient, chat_server: ChatServer, text: str) -> None:
    def sent(name: str, **told: str) -> httpx2.Response:
        return program.http.post(f"/api/{name}", content=json.dumps(told))

    chat_server.replies(*[f"{U}<answer>a face</answer>"] * 3)
    asked = sent("ask", question=text)
    assert (asked.status_code, asked.json()["answer"]) == (200, "a face")
    assert sent("clarify", turn=asked.json()["turn"], text=f"a face {text}").status_code == 200
