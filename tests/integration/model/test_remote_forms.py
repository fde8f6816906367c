"""A server that refuses the form of a call is asked again in the form that it wants, and so from then on."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assistant import errors
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, Role
from tests.support.servers.chat_server import Body, ChatServer, Exchange

KEY = "sk-never-to-be-shown"
MESSAGES = (Message(Role.SYSTEM, "Answer the plover."), Message(Role.USER, "What is 300 plover?"))
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


MERGED = [{"role": "user", "content": "Answer the plover.\n\nWhat is 300 plover?"}]
UNSUPPORTED: dict[str, Any] = {"code": "unsupported_parameter", "param": "max_tokens"}
# What the server refuses, and what it gets in the end.
REFUSED: dict[str, tuple[Callable[[Body], Refusal | None], Body]] = {
    "max_tokens, by code": (has("max_tokens", error(**UNSUPPORTED)), {"max_completion_tokens": 2048}),
    "max_tokens, by loc": (has("max_tokens", forbidden("max_tokens")), {"max_completion_tokens": 2048}),
    "max_tokens, in words": (
        has("max_tokens", error("gpt-6.1 does not take max_tokens; use max_completion_tokens.")),
        {"max_completion_tokens": 2048},
    ),
    "too large, by code": (
        above(500, error("At most 500.", code="integer_above_max_value", param="max_tokens")),
        {"max_tokens": 500},
    ),
    "too large, without a number": (
        above(600, error("Too large.", code="invalid_value", param="max_tokens")),
        {"max_tokens": 512},
    ),
    "too large, by a field": (
        above(700, (422, {"detail": [{"type": "less_than_equal", "loc": ["body", "max_tokens"], "ctx": {"le": 700}}]})),
        {"max_tokens": 700},
    ),
    "too large, as Anthropic": (above(1024, error("max_tokens: 2048 > 1,024, which is most.")), {"max_tokens": 1024}),
    "too large, by the window": (
        above(
            1024, error("'max_tokens' or 'max_completion_tokens' is too large: 2048. Maximum context length is 4096.")
        ),
        {"max_tokens": 1024},
    ),
    "too large, as context": (
        above(
            512,
            error(
                "Maximum context length is 2048 tokens, you asked for 40 and 2048 in the completion",
                code="context_length_exceeded",
                param="messages",
            ),
        ),
        {"max_tokens": 512},
    ),
    "system, by param": (
        with_system(error(code="unsupported_value", param="messages[0].role")),
        {"messages": MERGED},
    ),
    "system, by a template": (with_system(error("Jinja: System role not supported", 500)), {"messages": MERGED}),
    "system, by turns": (
        with_system(error("Conversation roles must alternate user/assistant/user")),
        {"messages": MERGED},
    ),
    "system, as Gemma": (with_system(error("Developer instruction is not enabled for it")), {"messages": MERGED}),
    "temperature, by code": (
        has("temperature", error(code="unsupported_value", param="temperature")),
        {"max_tokens": 2048},
    ),
    "temperature, by loc": (has("temperature", forbidden("temperature")), {"max_tokens": 2048}),
    "stream": (
        lambda body: error(code="unsupported_value", param="stream") if body["stream"] else None,
        {"stream": False},
    ),
}


class Picky:
    """The reply of a server that refuses each call for which one of `rules` has a refusal."""

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
    rule, expected = REFUSED[name]
    server.answer = Picky(rule)
    with caplog.at_level(logging.DEBUG):
        assert answer(model) == "An answer."
    assert len(server.requests) == 2
    assert answer(model) == "An answer."
    assert len(server.requests) == 3
    for request in server.requests[1:]:
        assert {key: request.body[key] for key in expected} == expected
        assert not ("max_tokens" in request.body and "max_completion_tokens" in request.body)
    assert "asked in another form" in caplog.text
    assert "plover" not in caplog.text
    assert KEY not in caplog.text


def test_several_refusals_are_met_one_by_one(server: ChatServer, model: RemoteModel) -> None:
    rules = (REFUSED[name][0] for name in ("max_tokens, by code", "system, by param", "temperature, by loc", "stream"))
    server.answer = Picky(*rules)
    assert answer(model) == answer(model) == "An answer."
    assert len(server.requests) == 6
    assert server.requests[-1].body == {
        "model": "any", "messages": MERGED, "stream": False, "max_completion_tokens": 2048,
    }  # fmt: skip


@pytest.mark.parametrize("told", [forbidden("stream_options"), error("Unrecognized argument: stream_options")])
def test_stream_options_are_left_out(told: Refusal, server: ChatServer, model: RemoteModel) -> None:
    class Plenty:
        def reserve(self, dollars: float) -> Callable[[float], None]:
            return lambda spent: None

    limited = RemoteModel("openai/gpt-4o", api_key=KEY, api_base=server.url, spending=Plenty(), loop=model.loop)
    server.answer = Picky(has("stream_options", told))
    assert answer(limited) == "An answer."
    assert "stream_options" in server.requests[0].body
    assert "stream_options" not in server.requests[1].body


def test_learned_window_shortens_the_prompt(server: ChatServer, model: RemoteModel) -> None:
    server.answer = Picky(REFUSED["too large, by the window"][0])
    assert model.window == 8192
    answer(model)
    assert model.window == 4096


@pytest.mark.parametrize(
    "told",
    [
        error(code="unknown_parameter"),
        error(code="invalid_value", param="messages[0].content"),
        error("Your prompt with 300 words about the system was refused."),
        (400, {"detail": "no"}),
        (400, {"error": "no"}),
    ],
)
def test_other_refusals_are_not_repeated(told: Refusal, server: ChatServer, model: RemoteModel) -> None:
    server.answer = Picky(lambda body: told)
    with pytest.raises(errors.ModelError):
        answer(model)
    assert len(server.requests) == 1


def test_refusing_server_is_given_up(server: ChatServer, model: RemoteModel) -> None:
    server.answer = Picky(lambda body: error(**UNSUPPORTED))
    with pytest.raises(errors.ModelError):
        answer(model)
    assert 1 < len(server.requests) <= 6
    server.answer = lambda body: "An answer."
    answer(model)
    assert server.requests[-1].body["max_tokens"] == 2048  # nothing was learned of calls that failed


def test_completion_is_read_where_a_stream_was_asked(server: ChatServer, model: RemoteModel) -> None:
    server.replies(lambda exchange: exchange.whole("In one piece."), lambda exchange: exchange.whole(""))
    assert answer(model) == "In one piece."
    with pytest.raises(errors.EmptyReply):
        answer(model)
