"""A server that still loads its model is waited for in the turn; the page says so, and Stop works."""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assistant import errors
from assistant.events import Phase, Sign
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, Role
from tests.support.servers.chat_server import Body, ChatServer, Exchange

MESSAGES = (Message(Role.USER, "A plover."),)


def refuses(status: int, body: Body, **headers: str) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.json(status, body, **headers)


def in_a_stream(exchange: Exchange) -> None:
    exchange.begin()
    exchange.event('{"error": {"code": 503, "message": "Loading model"}}')


LLAMA = refuses(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})
LOADING = {
    "llama.cpp": LLAMA,
    "Hugging Face": refuses(503, {"error": "Model any is currently loading", "estimated_time": 20.0}, Retry_After="0"),
    "vLLM": refuses(503, {"detail": "The model is not ready yet."}),
    "in a stream": in_a_stream,
}


@pytest.fixture
def loop() -> Iterator[EventLoopThread]:
    loop = EventLoopThread()
    yield loop
    loop.close()


def remote(server: ChatServer, loop: EventLoopThread, **fields: Any) -> RemoteModel:
    return RemoteModel("openai/any", api_base=server.url, backoff_seconds=0.01, loop=loop, **fields)


@pytest.mark.parametrize("name", LOADING)
def test_loading_server_is_waited_for(name: str, server: ChatServer, loop: EventLoopThread) -> None:
    server.replies(*[LOADING[name]] * 5, "It has loaded.")
    assert "".join(remote(server, loop).stream(MESSAGES)) == "It has loaded."
    assert len(server.requests) == 6


def is_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the server of the test for one on another machine."""
    monkeypatch.setattr("assistant.models.remote.remote.is_this_machine", lambda _host: False)


@pytest.mark.parametrize("begins", [False, True], ids=["before the first word", "in the middle"])
def test_slow_server_here_is_waited_for(
    server: ChatServer, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch, *, begins: bool
) -> None:
    monkeypatch.setattr("assistant.models.remote.remote._SECONDS", 0.3)
    go_on = threading.Event()

    def slow(exchange: Exchange) -> None:
        exchange.begin()
        exchange.text("It is " if begins else "")
        go_on.wait()
        exchange.text("slow.")
        exchange.finish()

    server.replies(slow, slow)
    pieces = list[str]()
    for piece in remote(server, loop).stream(MESSAGES):
        pieces.append(piece)
        if sum(not (one or isinstance(one, Sign)) for one in pieces) == 4:  # a second in which nothing came
            go_on.set()
    assert "".join(pieces) == ("It is slow." if begins else "slow.")
    assert any(isinstance(piece, Sign) and piece.phase is Phase.READING for piece in pieces)
    go_on.clear()
    is_elsewhere(monkeypatch)
    with pytest.raises(errors.ModelTimeout):
        list(remote(server, loop).stream(MESSAGES))
    go_on.set()


@pytest.mark.parametrize(
    ("name", "address", "is_here"),
    [
        ("openai/any", "http://127.0.0.1:8000/v1", True),
        ("openai/any", "http://[::1]:1/v1", True), ("ollama_chat/any", None, True), ("openai/any", None, False),
        ("openai/any", "https://api.example.com/v1", False), ("openai/any", "http://192.168.0.2/v1", False),
        ("openai/any", "http://127.0.0.1.example.com/v1", False),
    ],
)  # fmt: skip
def test_server_here_is_known_by_its_address(name: str, address: str | None, *, is_here: bool) -> None:
    assert RemoteModel(name, api_base=address).is_here is is_here


def test_loading_ends_with_the_time_of_the_host(
    server: ChatServer, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("assistant.models.remote.remote._LOADING_SECONDS", 0.2)
    server.answer = lambda body: LLAMA
    with caplog.at_level(logging.INFO), pytest.raises(errors.ModelLoading):
        list(remote(server, loop, first_token_seconds=5).stream(MESSAGES))
    assert "ModelLoading (status 503 unavailable_error)" in caplog.text
