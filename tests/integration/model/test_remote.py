"""A remote model over a server that fails, refuses, loads or is slow: one sentence, and no call that cannot help."""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest

from assistant import errors
from assistant.events import Phase, Sign
from assistant.models.remote.remote import RemoteModel
from assistant.models.remote.streaming import EventLoopThread
from assistant.types import Message, MessageRole, Scope
from tests.support.memory.loop import last, reply
from tests.support.servers import faults
from tests.support.servers.chat_server import Body, ChatServer, Exchange
from tests.support.servers.faults import Fault
from ui.server.services import Services

QUESTION = "What does my secret word plover mean?"
KEY = "sk-never-to-be-shown"
SEEN = "Half an ans"
MESSAGES = (Message(MessageRole.SYSTEM, "Answer the plover."), Message(MessageRole.USER, QUESTION))

# Faults: error, number of calls, and the text before it. Those after a visible piece are never retried.
FAULTS: dict[str, tuple[Fault, type[errors.ModelError], int, str]] = {
    "key refused": (faults.refused_key, errors.KeyRefused, 1, ""),
    "rate limit, short": (faults.rate_limited("0.01"), errors.RateLimited, 3, ""),
    "rate limit, longer than the deadline": (faults.rate_limited("10"), errors.RateLimited, 1, ""),
    "reset": (faults.reset, errors.ModelUnavailable, 3, ""),
    "no response": (faults.no_response, errors.ModelTimeout, 1, ""),
    "only thoughts": (faults.reason_first("Hmm.", ""), errors.EmptyReply, 1, ""),
    "malformed": (faults.malformed_json, errors.BadReply, 1, ""),
    "stall, after": (faults.stalls_after(SEEN), errors.ModelTimeout, 1, SEEN),
    "reset, after": (faults.resets_after(SEEN), errors.StreamCut, 1, SEEN),
    "content filter, after": (faults.content_filter(SEEN), errors.ContentRefused, 1, SEEN),
}


@pytest.fixture(scope="module")
def loop() -> Iterator[EventLoopThread]:
    loop = EventLoopThread()
    yield loop
    loop.close()


@pytest.fixture
def model(server: ChatServer, loop: EventLoopThread) -> RemoteModel:
    return remote(server.url, loop)


def remote(url: str, loop: EventLoopThread, seconds: float = 5, **how: Any) -> RemoteModel:
    usual: dict[str, Any] = {"api_key": KEY, "first_token_seconds": seconds, "backoff_seconds": 0.01}
    return RemoteModel("openai/any", api_base=url, loop=loop, **usual | how)


def answer(model: RemoteModel, seen: list[str] | None = None) -> str:
    """Return the reply; `seen` gets the pieces before an error."""
    seen = [] if seen is None else seen
    seen.extend(model.stream(MESSAGES))
    return "".join(seen)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_one_sentence(
    name: str, server: ChatServer, loop: EventLoopThread, caplog: pytest.LogCaptureFixture
) -> None:
    fault, expected, calls, shown = FAULTS[name]
    server.replies(*[fault] * (4 if calls > 1 else 1))
    seen: list[str] = []
    model = remote(server.url, loop, 0.4 if expected is errors.ModelTimeout else 5, read_seconds=0.4)
    with caplog.at_level(logging.DEBUG), pytest.raises(errors.ModelError) as raised:
        answer(model, seen)
    assert (type(raised.value), len(server.requests), "".join(seen)) == (expected, calls, shown)
    assert raised.value.sentence == expected().sentence
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    written = caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    assert "plover" not in written
    assert KEY not in written


CAUSES: dict[str, tuple[str, Fault | None, type[errors.ModelError]]] = {
    "no such host": ("http://no-such-host.invalid/v1", None, errors.UnknownHost),
    "nothing listens": ("http://127.0.0.1:9/v1", None, errors.NothingListens),
    "no TLS": ("https://127.0.0.1:{port}/v1", None, errors.NoTls),
    "another path": ("http://127.0.0.1:{port}", lambda exchange: exchange.raw(b"Not Found", 404), errors.WrongAddress),
}


@pytest.mark.parametrize(("address", "fault", "expected"), CAUSES.values(), ids=CAUSES)
def test_connection_trouble_names_its_cause(
    address: str, fault: Fault | None, expected: type[errors.ModelError], server: ChatServer, loop: EventLoopThread
) -> None:
    if fault:
        server.replies(fault)
    with pytest.raises(errors.ModelError) as raised:
        answer(remote(address.format(port=server.port), loop))
    assert type(raised.value) is expected


def test_events_without_data_are_ignored(server: ChatServer, model: RemoteModel) -> None:
    def pings(exchange: Exchange) -> None:
        exchange.begin()
        for text in ("An ", "answer."):
            exchange.stream_bytes(b"data:\n\n: ping\n\ndata: \n\n")
            exchange.text(text)
        exchange.finish()

    server.replies(pings)
    assert answer(model) == "An answer."


def test_key_of_the_environment_stays_at_its_provider(
    server: ChatServer, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"“{KEY}”\n")
    assert answer(RemoteModel("openai/any", api_base=server.url, loop=loop)) == "An answer."
    assert KEY not in repr(server.requests[0].headers)
    with pytest.raises(errors.NoKey):
        next(RemoteModel("openai/any", api_base="https://models.example.com/v1", loop=loop).stream(MESSAGES))
    monkeypatch.setenv("OPENAI_API_BASE", server.url)
    assert answer(RemoteModel("openai/gpt-4o", loop=loop)) == "An answer."
    assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"  # trimmed


def test_ollama_is_told_its_window(server: ChatServer, loop: EventLoopThread) -> None:
    server.replies(*[faults.ollama("An answer.", prompt_tokens=20)] * 2)
    base = server.url.removesuffix("/v1")
    model = RemoteModel("ollama_chat/any", api_base=base, context=4096, loop=loop)
    assert answer(model) == answer(model) == "An answer."
    assert [request.path for request in server.requests] == ["/api/chat", "/api/chat"]  # nothing about the model
    assert server.requests[0].body["options"]["num_ctx"] == 4096


Refusal = tuple[int, Body]
ECHO = " You sent {'messages': [{'role': 'system', 'content': 'plover 300'}], 'max_tokens': 2048, 'temperature': 1}."
PLAIN = {"model": "any", "messages": [{"role": "user", "content": f"Answer the plover.\n\n{QUESTION}"}], "stream": True}


def error(message: str = "Refused.", status: int = 400, **fields: Any) -> Refusal:
    return status, {"error": {"message": message + ECHO, "type": "invalid_request_error", **fields}}


def with_system(refusal: Refusal) -> Callable[[Body], Refusal | None]:
    return lambda body: refusal if body["messages"][0]["role"] == "system" else None


UNSUPPORTED = error(code="unsupported_parameter", param="max_tokens")
FORBIDDEN = [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "Extra inputs", "input": 1}]
# Refusals of servers.
REFUSED: dict[str, Callable[[Body], Refusal | None]] = {
    "by code": lambda body: UNSUPPORTED if "max_tokens" in body else None,
    "too large": lambda body: error("max_tokens: 2048 > 1,024.") if body.get("max_tokens", 0) > 1024 else None,
    "by param": with_system(error(code="unsupported_value", param="messages[0].role")),
    "as Gemma": with_system(error("Developer instruction is not enabled for it")),
    "by loc": lambda body: (422, {"detail": FORBIDDEN}) if "temperature" in body else None,
}


def picky(rule: Callable[[Body], Refusal | None]) -> Callable[[Body], str | Fault]:
    """Return the replies of a server that refuses calls by a rule."""

    def answer(body: Body) -> str | Fault:
        refusal = rule(body)
        return "An answer." if refusal is None else lambda exchange: exchange.json(*refusal)

    return answer


@pytest.mark.parametrize("name", REFUSED)
def test_refused_form_is_changed_and_remembered(
    name: str, server: ChatServer, loop: EventLoopThread, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer = picky(REFUSED[name])
    model = remote(server.url, loop, 30, temperature=0.5)
    with caplog.at_level(logging.DEBUG):
        assert answer(model) == answer(model) == "An answer."
    assert [request.body for request in server.requests[1:]] == [PLAIN, PLAIN]
    assert "asked in another form" in caplog.text
    assert "plover" not in caplog.text


@pytest.mark.promise("daily-spending")
def test_limit_stays_where_spending_has_one(server: ChatServer, loop: EventLoopThread) -> None:
    limited = RemoteModel("openai/gpt-4o", api_key=KEY, api_base=server.url, spending=Mock(), loop=loop)
    server.answer = picky(REFUSED["by code"])
    assert answer(limited) == "An answer."
    first, second = (request.body for request in server.requests)
    assert second["max_completion_tokens"] == first["max_tokens"]


def test_loading_server_is_waited_for(server: ChatServer, model: RemoteModel) -> None:
    def loading(exchange: Exchange) -> None:
        exchange.json(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})

    server.replies(*[loading] * 5, "It has loaded.")
    assert answer(model) == "It has loaded."
    assert len(server.requests) == 6
    assert server.requests[0].body == {
        "model": "any",
        "messages": [{"role": "system", "content": "Answer the plover."}, {"role": "user", "content": QUESTION}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 2048,  # a quarter of the window
    }


@pytest.mark.parametrize("begins", [False, True], ids=["before the first word", "during the answer"])
def test_slow_server_here_is_waited_for(
    server: ChatServer, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch, *, begins: bool
) -> None:
    monkeypatch.setattr("assistant.models.remote.remote._SECONDS", 0.3)
    go_on = threading.Event()
    server.replies(*[faults.stream_until(go_on, "It is " if begins else "", "slow.")] * 2)
    pieces = list[str]()
    for piece in remote(server.url, loop).stream(MESSAGES):
        pieces.append(piece)
        if sum(not (one or isinstance(one, Sign)) for one in pieces) == 4:  # a second without text
            go_on.set()
    assert "".join(pieces) == ("It is slow." if begins else "slow.")
    assert any(isinstance(piece, Sign) and piece.phase is Phase.READING for piece in pieces)
    go_on.clear()
    monkeypatch.setattr("assistant.models.remote.remote.is_this_machine", lambda _host: False)
    with pytest.raises(errors.ModelTimeout):
        answer(RemoteModel("openai/any", api_base=server.url, api_key=KEY, loop=loop))
    go_on.set()


def test_endless_thought_is_cut(connected: Callable[..., Services], server: ChatServer) -> None:
    services = connected()

    def endless(exchange: Exchange) -> None:
        exchange.begin()
        for _ in range(4_000):
            exchange.delta({"reasoning_content": "x" * 50_000})

    server.replies(endless, reply("a synonym", "fast"))
    turn = last(services.assistant.ask("what is akin to quick ?", Scope("me"), "c"))
    assert turn.reply.answer == "fast"  # retried once, since nothing had arrived
    assert server.requests[0].disconnected.wait(20)


def test_closing_disconnects(server: ChatServer) -> None:
    server.replies(*[faults.stalls_after("Half.")] * 2)
    model = remote(server.url, EventLoopThread())
    first, second = (model.stream(MESSAGES) for _ in range(2))
    for stream in (first, second):
        next(piece for piece in stream if piece)
    first.close()
    assert server.requests[0].disconnected.wait(10)
    assert answer(model) == "An answer."
    model.close()
    with pytest.raises(errors.ModelUnavailable):
        list(second)
    assert server.requests[1].disconnected.wait(10)
