"""Every way in which a server can fail ends in one sentence for the person, and in no more calls than may help."""

import logging
import socket
from collections.abc import Iterator

import pytest

from assistant import errors
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, Role
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.faults import Fault

QUESTION = "What does my secret word plover mean?"
KEY = "sk-never-to-be-shown"
SEEN = "Half an ans"
MESSAGES = (Message(Role.SYSTEM, "Answer the plover."), Message(Role.USER, QUESTION))

# What happens before the first visible piece: fault, error, calls.
BEFORE: dict[str, tuple[Fault, type[errors.ModelError], int]] = {
    "key refused": (faults.refused_key, errors.KeyRefused, 1),
    "forbidden": (faults.forbidden, errors.KeyRefused, 1),
    "unknown model": (faults.unknown_model, errors.UnknownModel, 1),
    "bad request": (faults.bad_request, errors.ModelError, 3),  # it speaks of "stream": plain, then in one piece
    "no credit": (faults.out_of_credit, errors.OutOfCredit, 1),
    "rate limit, short": (faults.rate_limited("0.01"), errors.RateLimited, 3),
    "rate limit, no time named": (faults.status(429), errors.RateLimited, 3),
    "rate limit, long": (faults.rate_limited("21"), errors.RateLimited, 1),
    "rate limit, longer than the deadline": (faults.rate_limited("10"), errors.RateLimited, 1),
    "500": (faults.status(500), errors.ModelUnavailable, 3),
    "502 page": (faults.bad_gateway_page, errors.ModelUnavailable, 3),
    "503": (faults.status(503), errors.ModelUnavailable, 3),
    "529": (faults.status(529), errors.ModelUnavailable, 3),
    "reset": (faults.reset, errors.ModelUnavailable, 3),
    "reset after the headers": (faults.resets_after(""), errors.ModelUnavailable, 3),
    "error event first": (faults.error_event_after(""), errors.ModelUnavailable, 3),
    "error event with a status first": (faults.error_event_after("", 429), errors.RateLimited, 3),
    "context too long": (faults.context_too_long, errors.ContextFull, 1),
    "content refused": (faults.content_refused, errors.ContentRefused, 1),
    "content filter first": (faults.content_filter(""), errors.ContentRefused, 1),
    "slow first token": (faults.slow_first_token, errors.ModelTimeout, 1),
    "no response": (faults.no_response, errors.ModelTimeout, 1),
    "empty": (faults.says(""), errors.EmptyReply, 1),
    "blank": (faults.says(" \n\t "), errors.EmptyReply, 1),
    "only thoughts": (faults.thinks("Hmm.", ""), errors.EmptyReply, 1),
    "page": (faults.html, errors.BadReply, 1),
    "malformed": (faults.malformed_json, errors.BadReply, 1),
    "malformed first event": (faults.malformed_after(""), errors.BadReply, 1),
    "ends at once": (faults.ends_after(""), errors.BadReply, 1),
}

# What happens after a piece was seen: never tried again.
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
            seen.append(piece)  # noqa: PERF401  what was seen counts although an error comes


def assert_for_a_person(error: errors.ModelError) -> None:
    assert error.sentence == type(error)().sentence
    assert error.__cause__ is None
    assert error.__context__ is None


def assert_nothing_leaked(caplog: pytest.LogCaptureFixture) -> None:
    written = caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    assert "plover" not in written
    assert KEY not in written


@pytest.mark.parametrize("name", BEFORE)
def test_a_failure_before_the_first_piece(
    name: str, server: ChatServer, loop: EventLoopThread, caplog: pytest.LogCaptureFixture
) -> None:
    fault, expected, calls = BEFORE[name]
    server.replies(*[fault] * 4)
    waits = expected is errors.ModelTimeout
    model = remote(server.url, loop, first_token_seconds=0.4 if waits else 5)
    seen: list[str] = []
    with caplog.at_level(logging.DEBUG), pytest.raises(errors.ModelError) as raised:
        read(model, seen)
    assert type(raised.value) is expected
    assert_for_a_person(raised.value)
    assert seen == []
    assert len(server.requests) == calls
    assert_nothing_leaked(caplog)


@pytest.mark.parametrize("name", AFTER)
def test_a_failure_after_the_first_piece_is_not_tried_again(
    name: str, server: ChatServer, model: RemoteModel, caplog: pytest.LogCaptureFixture
) -> None:
    fault, expected = AFTER[name]
    server.replies(fault)
    seen: list[str] = []
    with caplog.at_level(logging.DEBUG), pytest.raises(errors.ModelError) as raised:
        read(model, seen)
    assert type(raised.value) is expected
    assert_for_a_person(raised.value)
    assert "".join(seen) == SEEN
    assert len(server.requests) == 1
    assert_nothing_leaked(caplog)


@pytest.mark.parametrize("name", [name for name, (_, _, calls) in BEFORE.items() if calls == 3])
def test_what_goes_away_is_tried_again_and_the_person_sees_nothing_of_it(
    name: str, server: ChatServer, model: RemoteModel
) -> None:
    fault, _, _ = BEFORE[name]
    server.replies(fault, fault, "All is well.")
    assert "".join(model.stream(MESSAGES)) == "All is well."
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", [faults.ends_after(SEEN), faults.runs_out_of_length_after(SEEN)])
def test_a_stream_that_ends_early_but_cleanly_is_left_to_the_parser(
    fault: Fault, server: ChatServer, model: RemoteModel
) -> None:
    server.replies(fault)
    assert "".join(model.stream(MESSAGES)) == SEEN


def test_a_server_that_calls_its_stream_something_else_is_read_all_the_same(
    server: ChatServer, model: RemoteModel
) -> None:
    server.replies(faults.says_as("text/plain", "An answer."))
    assert "".join(model.stream(MESSAGES)) == "An answer."


def test_thoughts_are_not_part_of_the_reply(server: ChatServer, model: RemoteModel) -> None:
    server.replies(faults.thinks("Let me see.", "An answer."))
    assert "".join(model.stream(MESSAGES)) == "An answer."


def test_a_server_that_is_not_there(loop: EventLoopThread) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    with pytest.raises(errors.ModelUnavailable) as raised:
        read(remote(f"http://127.0.0.1:{port}/v1", loop), [])
    assert_for_a_person(raised.value)


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
    ],
)
def test_without_a_key_nothing_is_called(
    model: str, variable: str, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(errors.NoKey):
        next(RemoteModel(model, loop=loop).stream(MESSAGES))


def test_a_model_string_without_a_provider_is_an_unknown_model(loop: EventLoopThread) -> None:
    with pytest.raises(errors.UnknownModel):
        next(RemoteModel("nobody-knows-this", loop=loop).stream(MESSAGES))


def test_a_local_server_needs_no_key_and_never_gets_the_one_meant_for_openai(
    server: ChatServer, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert "".join(RemoteModel("openai/any", api_base=server.url, loop=loop).stream(MESSAGES)) == "An answer."
    assert KEY not in repr(server.requests[0].headers)


def test_a_server_elsewhere_never_gets_the_key_meant_for_openai(
    loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(errors.NoKey):
        next(RemoteModel("openai/any", api_base="https://models.example.com/v1", loop=loop).stream(MESSAGES))


def test_key_of_the_environment_is_cleaned(
    server: ChatServer, loop: EventLoopThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"“{KEY}”\n")
    monkeypatch.setenv("OPENAI_API_BASE", server.url)
    assert "".join(RemoteModel("openai/gpt-4o", loop=loop).stream(MESSAGES)) == "An answer."
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["ключ-ключ-ключ", "sk–with–dashes", "sk-…"])
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


def test_what_is_sent(server: ChatServer, model: RemoteModel) -> None:
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


def test_the_window_is_what_is_known_of_the_model_or_what_is_set(loop: EventLoopThread) -> None:
    assert RemoteModel("openai/gpt-4o", loop=loop).window == 128_000
    assert RemoteModel("openai/any", loop=loop).window == 8192
    assert RemoteModel("openai/gpt-4o", context=2000, loop=loop).window == 2000


def test_ollama_is_told_its_window(server: ChatServer, loop: EventLoopThread) -> None:
    server.replies(*[faults.ollama("An answer.", prompt_tokens=20)] * 2)
    base = server.url.removesuffix("/v1")
    model = RemoteModel("ollama_chat/any", api_base=base, context=4096, loop=loop)
    for _ in range(2):
        assert "".join(model.stream([Message(Role.USER, "plover " * 500)])) == "An answer."
    assert [request.path for request in server.requests] == ["/api/chat", "/api/chat"]
    assert server.requests[0].body["options"]["num_ctx"] == 4096
