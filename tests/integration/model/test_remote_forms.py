"""A server that refuses the form of a call gets the form that it accepts, then and later."""

import logging
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest

from assistant import errors
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole
from tests.support.servers.chat_server import Body, ChatServer, Exchange

KEY = "sk-never-to-be-shown"
MESSAGES = (Message(MessageRole.SYSTEM, "Answer the plover."), Message(MessageRole.USER, "What is 300 plover?"))
ECHO = " You sent {'messages': [{'role': 'system', 'content': 'plover 300'}], 'max_tokens': 2048, 'temperature': 1}."
Refusal = tuple[int, Body]


def error(message: str = "Refused.", status: int = 400, **fields: Any) -> Refusal:
    return status, {"error": {"message": message + ECHO, "type": "invalid_request_error", **fields}}


def has(name: str, refusal: Refusal) -> Callable[[Body], Refusal | None]:
    return lambda body: refusal if name in body else None


def above(most: int, refusal: Refusal) -> Callable[[Body], Refusal | None]:
    return lambda body: refusal if body.get("max_tokens", 0) > most else None


def with_system(refusal: Refusal) -> Callable[[Body], Refusal | None]:
    return lambda body: refusal if body["messages"][0]["role"] == "system" else None


def forbidden(name: str) -> Refusal:
    detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs", "input": {"max_tokens": 1}}]
    return 422, {"detail": detail}


PLAIN = {
    "model": "any",
    "messages": [{"role": "user", "content": "Answer the plover.\n\nWhat is 300 plover?"}],
    "stream": True,
}
LONGER = "Maximum context length is 2048 tokens, you asked for 40 and 2048 in the completion"
# Refusals of servers.
REFUSED: dict[str, Callable[[Body], Refusal | None]] = {
    "max_tokens, by code": has("max_tokens", error(code="unsupported_parameter", param="max_tokens")),
    "max_tokens, by loc": has("max_tokens", forbidden("max_tokens")),
    "max_tokens, in words": has("max_tokens", error("gpt-6.1 does not take max_tokens.")),
    "too large": above(1024, error("max_tokens: 2048 > 1,024, which is most.")),
    "too large, as context": above(512, error(LONGER, code="context_length_exceeded", param="messages")),
    "system, by param": with_system(error(code="unsupported_value", param="messages[0].role")),
    "system, by a template": with_system(error("Jinja: System role not supported", 500)),
    "system, as Gemma": with_system(error("Developer instruction is not enabled for it")),
    "temperature, by loc": has("temperature", forbidden("temperature")),
    "stream_options": has("stream_options", error("Unrecognized argument: stream_options")),
}


class Picky:
    """Replies of a server that refuses calls by `rules`."""

    def __init__(self, *rules: Callable[[Body], Refusal | None]) -> None:
        self.rules = rules

    def __call__(self, body: Body) -> str | Callable[[Exchange], None]:
        refusal = next((told for rule in self.rules if (told := rule(body)) is not None), None)
        return "An answer." if refusal is None else lambda exchange: exchange.json(*refusal)


@pytest.fixture
def model(server: ChatServer) -> Iterator[RemoteModel]:
    loop = EventLoopThread()
    yield RemoteModel(
        "openai/any", api_key=KEY, api_base=server.url, first_token_seconds=30, backoff_seconds=0.01, loop=loop,
        temperature=0.5,
    )  # fmt: skip
    loop.close()


def answer(model: RemoteModel) -> str:
    return "".join(model.stream(MESSAGES))


@pytest.mark.parametrize("name", REFUSED)
def test_refused_form_is_changed_and_remembered(
    name: str, server: ChatServer, model: RemoteModel, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer = Picky(REFUSED[name])
    with caplog.at_level(logging.DEBUG):
        assert answer(model) == answer(model) == "An answer."
    assert [request.body for request in server.requests[1:]] == [PLAIN, PLAIN]
    assert "asked in another form" in caplog.text
    assert "plover" not in caplog.text
    assert KEY not in caplog.text


def test_several_refusals_and_streaming(server: ChatServer, model: RemoteModel) -> None:
    streams = error("You may not stream.", code="unsupported_value", param="stream")
    server.answer = Picky(*REFUSED.values(), lambda body: streams if body["stream"] else None)
    assert answer(model) == answer(model) == "An answer."
    assert [request.body for request in server.requests[2:]] == [PLAIN | {"stream": False}] * 2


def test_limit_stays_where_spending_has_one(server: ChatServer, model: RemoteModel) -> None:
    limited = RemoteModel("openai/gpt-4o", api_key=KEY, api_base=server.url, spending=Mock(), loop=model.loop)
    server.answer = Picky(REFUSED["max_tokens, by code"])
    assert answer(limited) == "An answer."
    first, second = (request.body for request in server.requests)
    assert second["max_completion_tokens"] == first["max_tokens"]


def test_refusing_server_is_given_up(server: ChatServer, model: RemoteModel) -> None:
    server.answer = Picky(lambda body: error())
    with pytest.raises(errors.ModelError):
        answer(model)
    assert 1 < len(server.requests) <= 3
    server.answer = lambda body: "An answer."
    answer(model)
    assert server.requests[-1].body["max_tokens"] == 2048  # failed calls teach nothing
