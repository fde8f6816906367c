"""Responses of a server: pieces of a reply however it is split, and failures as sentences."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import errors
from assistant.errors import BadReply
from assistant.model_usage import Usage
from assistant.models.remote.errors import read_failure
from assistant.models.remote.streaming import Delta, ErrorEvent, deltas_of_response


class ProviderError(Exception):
    """An exception with the attributes of litellm's and openai's."""

    def __init__(
        self, text: str = "", status: int | None = None, body: object = None, original: Exception | None = None
    ) -> None:
        super().__init__(text)
        self.status_code, self.body, self.original_exception = status, body, original
        self.litellm_response_headers: dict[str, str] = {}


def named(name: str, *arguments: object) -> Exception:
    kind: type[Exception] = type(name, (ProviderError,), {})
    return kind(*arguments)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ProviderError("prompt is too long: 9000 tokens > 8000 maximum", 400), errors.ContextFull),
        (ProviderError("Your credit balance is too low", 400), errors.OutOfCredit),
        (json.JSONDecodeError("no", "{", 1), errors.BadReply),
        (ProviderError("", 429, {"code": "insufficient_quota"}), errors.OutOfCredit),
        (ProviderError("", 400, {"details": [{"reason": "API_KEY_INVALID"}]}), errors.KeyRefused),
        (ProviderError("", 404, {"code": "model_not_found"}), errors.UnknownModel),
        (ProviderError("", 404, "<html><h1>404 Not Found</h1></html>"), errors.WrongAddress),
        (ProviderError("", 503, {"type": "unavailable_error"}), errors.ModelLoading),
    ],
)
def test_exception_is_read(error: Exception, expected: type[errors.ModelError]) -> None:
    failure = read_failure(error, begun=False)
    assert type(failure.error) is expected
    is_retried = issubclass(expected, errors.RateLimited | errors.ModelUnavailable)
    assert (failure.retry_after is not None) is is_retried


@pytest.mark.parametrize(("header", "seconds"), [("0.5", 0.5), ("-1", 0), ("soon", 0), ("nan", 0)])
def test_wrapped_exception_is_read(header: str, seconds: float) -> None:
    limited = ProviderError("", 429)
    limited.litellm_response_headers = {"retry-after": header}
    failure = read_failure(ProviderError("", 500, None, limited), begun=False)
    assert (type(failure.error), failure.retry_after) == (errors.RateLimited, seconds)
    first, second = ProviderError(), ProviderError("insufficient_quota", 429)
    first.__cause__, second.__context__ = second, first
    assert type(read_failure(first, begun=False).error) is errors.OutOfCredit


@given(text=st.text(), status=st.none() | st.integers(100, 599), begun=st.booleans())
def test_any_exception_becomes_a_sentence(text: str, status: int | None, begun: bool) -> None:
    failure = read_failure(ProviderError(text, status), begun)
    assert failure.error.sentence == type(failure.error)().sentence
    assert not (begun and failure.retry_after is not None)


FIELDS = st.sampled_from(["choices", "delta", "content", "finish_reason", "usage", "prompt_tokens", "error", "code"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


def event(**fields: Any) -> bytes:
    return f"data: {json.dumps(fields, ensure_ascii=False)}\n\n".encode()


def word(text: str, **delta: str) -> bytes:
    return event(choices=[{"index": 0, "delta": {"content": text, **delta}, "finish_reason": None}])


def read(parts: Sequence[bytes], content_type: str = "text/event-stream") -> list[Delta]:
    """Return the pieces of a stream that arrives in these parts; assert that it is closed."""

    async def body() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    async def all_pieces() -> list[Delta]:
        request = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
        response = httpx2.Response(200, headers={"content-type": content_type}, content=body(), request=request)
        try:
            return [piece async for piece in deltas_of_response(response)]
        finally:
            assert response.is_closed

    return asyncio.run(all_pieces())


@given(st.lists(st.text(max_size=8), max_size=6), st.lists(st.integers(0, 400), max_size=6))
def test_text_is_whole_in_any_chunks(texts: list[str], cuts: list[int]) -> None:
    stream = b": hello\n\n" + b"".join(map(word, texts)) + b"data: [DONE]\n\n" + word("never")
    ends = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    parts = [stream[begin:end] for begin, end in pairwise(ends)]
    assert [piece.text for piece in read(parts)] == texts


def test_reasoning_usage_and_finish_are_read() -> None:
    counted = {"prompt_tokens": 7, "completion_tokens": "many", "total_tokens": -1}
    stream = [
        word("", reasoning_content="Hm. "),
        word("", reasoning="So."),
        event(choices=[{"delta": None, "finish_reason": "stop"}]),
        event(choices=[], usage=counted),
        b"event: ping\ndata:\n\n",
    ]
    thoughts = [Delta(reasoning="Hm. "), Delta(reasoning="So.")]
    assert read(stream) == [*thoughts, Delta(finish="stop"), Delta(used=Usage(7, 0, told=True))]


@given(JSON)
def test_any_event_is_read_or_refused(value: Any) -> None:
    try:
        pieces = read([f"data: {json.dumps(value)}\n\n".encode()])
    except (BadReply, ErrorEvent):
        return
    assert all(isinstance(piece.text, str) and isinstance(piece.finish, str) for piece in pieces)


@pytest.mark.parametrize(
    "stream",
    [event(error={"code": "insufficient_quota"}), event(object="error", code=429), event(error="the model crashed")],
)
def test_error_event_is_raised(stream: bytes) -> None:
    with pytest.raises(ErrorEvent):
        read([word("Half"), stream])
