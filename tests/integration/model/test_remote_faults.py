"""Each fault of a server ends in one sentence for the user, with no more calls than can help."""

import logging
import socket
from collections.abc import Iterator

import pytest

from assistant import errors
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.faults import Fault

QUESTION = "What does my secret word plover mean?"
KEY = "sk-never-to-be-shown"
SEEN = "Half an ans"
MESSAGES = (Message(MessageRole.SYSTEM, "Answer the plover."), Message(MessageRole.USER, QUESTION))

# Faults before the first visible piece: fault, error, number of calls.
BEFORE: dict[str, tuple[Fault, type[errors.ModelError], int]] = {
    "key refused": (faults.refused_key, errors.KeyRefused, 1),
    "bad request": (faults.bad_request, errors.ModelError, 3),  # it mentions "stream": retried plain, then unstreamed
    "rate limit, short": (faults.rate_limited("0.01"), errors.RateLimited, 3),
    "rate limit, longer than the deadline": (faults.rate_limited("10"), errors.RateLimited, 1),
    "503": (faults.status(503), errors.ModelUnavailable, 3),
    "reset": (faults.reset, errors.ModelUnavailable, 3),
    "error event first": (faults.error_event_after(""), errors.ModelUnavailable, 3),
    "context too long": (faults.context_too_long, errors.ContextFull, 1),
    "content filter first": (faults.content_filter(""), errors.ContentRefused, 1),
    "no response": (faults.no_response, errors.ModelTimeout, 1),
    "only thoughts": (faults.reason_first("Hmm.", ""), errors.EmptyReply, 1),
    "page": (faults.html, errors.BadReply, 1),
    "malformed": (faults.malformed_json, errors.BadReply, 1),
}

# Faults after a visible piece: never retried.
AFTER: dict[str, tuple[Fault, type[errors.ModelError]]] = {
    "stall": (faults.stalls_after(SEEN), errors.ModelTimeout),
    "reset": (faults.resets_after(SEEN), errors.StreamCut),
    "error event": (faults.error_event_after(SEEN), errors.StreamCut),
    "malformed event": (faults.malformed_after(SEEN), errors.StreamCut),
    "content filter": (faults.content_filter(SEEN), errors.ContentRefused),
}


@pytest.fixture(scope="module")
def loop() -> Iterator[EventLoopThread]:
    loop = EventLoopThread()
    yield loop
    loop.close()


@pytest.fixture
def model(server: ChatServer, loop: EventLoopThread) -> RemoteModel:
    return remote(server.url, loop)


def remote(url: str, loop: EventLoopThread, first_token_seconds: float = 5) -> RemoteModel:
    return RemoteModel(
        "openai/any",
        api_key=KEY,
        api_base=url,
        first_token_seconds=first_token_seconds,
        read_seconds=0.4,
        backoff_seconds=0.01,
        loop=loop,
    )


def read(model: RemoteModel, seen: list[str]) -> None:
    for piece in model.stream(MESSAGES):
        if piece:
            seen.append(piece)  # noqa: PERF401  keeps the pieces before an error


FAULTS = {
    **{f"{name}, before": (fault, error, calls, "") for name, (fault, error, calls) in BEFORE.items()},
    **{f"{name}, after": (fault, error, 1, SEEN) for name, (fault, error) in AFTER.items()},
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_one_sentence(
    name: str, server: ChatServer, loop: EventLoopThread, caplog: pytest.LogCaptureFixture
) -> None:
    fault, expected, calls, shown = FAULTS[name]
    server.replies(*[fault] * (4 if calls > 1 else 1))
    seen: list[str] = []
    model = remote(server.url, loop, 0.4 if expected is errors.ModelTimeout else 5)
    with caplog.at_level(logging.DEBUG), pytest.raises(errors.ModelError) as raised:
        read(model, seen)
    assert (type(raised.value), len(server.requests), "".join(seen)) == (expected, calls, shown)
    assert raised.value.sentence == expected().sentence
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    written = caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    assert "plover" not in written
    assert KEY not in written


def test_long_retry_after_is_not_waited_for(server: ChatServer, loop: EventLoopThread) -> None:
    server.replies(faults.rate_limited("21"))
    with pytest.raises(errors.RateLimited):
        read(remote(server.url, loop, 60), [])


@pytest.mark.parametrize("name", ["rate limit, short", "503", "reset"])
def test_fault_that_passes_is_tried_again(name: str, server: ChatServer, model: RemoteModel) -> None:
    fault, _, _ = BEFORE[name]
    server.replies(fault, fault, "All is well.")
    assert "".join(model.stream(MESSAGES)) == "All is well."
    assert len(server.requests) == 3


def test_server_that_is_not_there_is_said(loop: EventLoopThread) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    with pytest.raises(errors.ModelUnavailable):
        read(remote(f"http://127.0.0.1:{port}/v1", loop), [])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai/gpt-4o", errors.NoKey),
        ("gemini/gemini-2.5-flash", errors.NoKey),
        ("nobody-knows-this", errors.UnknownModel),
    ],
)
def test_nothing_is_called_without_key_or_provider(
    name: str, expected: type[errors.ModelError], loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(expected):
        next(RemoteModel(name, loop=loop).stream(MESSAGES))


def test_key_of_the_environment_stays_at_its_provider(
    server: ChatServer, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"“{KEY}”\n")
    assert "".join(RemoteModel("openai/any", api_base=server.url, loop=loop).stream(MESSAGES)) == "An answer."
    assert KEY not in repr(server.requests[0].headers)
    with pytest.raises(errors.NoKey):
        next(RemoteModel("openai/any", api_base="https://models.example.com/v1", loop=loop).stream(MESSAGES))
    monkeypatch.setenv("OPENAI_API_BASE", server.url)
    assert "".join(RemoteModel("openai/gpt-4o", loop=loop).stream(MESSAGES)) == "An answer."
    assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"  # trimmed


@pytest.mark.parametrize("key", ["ключ-ключ-ключ", "sk–with–dashes"])
def test_key_that_no_header_holds_is_refused(
    key: str, server: ChatServer, loop: EventLoopThread, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(errors.KeyRefused):
        list(RemoteModel("openai/any", api_key=key, api_base=server.url, loop=loop).stream(MESSAGES))
    assert server.requests == []
    assert "copied wrongly" in caplog.text
    assert key not in caplog.text


@pytest.mark.parametrize(
    "address", ["no-such-host.invalid/v1", "http://no-such-host.invalid/v1", "https://127.0.0.1:{}/v1"]
)
def test_wrong_address_is_named(address: str, server: ChatServer, loop: EventLoopThread) -> None:
    with pytest.raises(errors.WrongAddress):
        list(remote(address.format(server.port), loop).stream(MESSAGES))


def test_request_holds_messages_and_limits(server: ChatServer, model: RemoteModel) -> None:
    read(model, [])
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "any",
        "messages": [{"role": "system", "content": "Answer the plover."}, {"role": "user", "content": QUESTION}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 2048,  # a quarter of the window
    }


def test_ollama_is_told_its_window(server: ChatServer, loop: EventLoopThread) -> None:
    server.replies(*[faults.ollama("An answer.", prompt_tokens=20)] * 2)
    base = server.url.removesuffix("/v1")
    model = RemoteModel("ollama_chat/any", api_base=base, context=4096, loop=loop)
    for _ in range(2):  # and gets no question about itself
        assert "".join(model.stream(MESSAGES)) == "An answer."
    assert [request.path for request in server.requests] == ["/api/chat", "/api/chat"]
    assert server.requests[0].body["options"]["num_ctx"] == 4096
