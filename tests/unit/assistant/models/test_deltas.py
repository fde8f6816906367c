import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadReply
from assistant.model_usage import Usage
from assistant.models.remote.deltas import Delta, ErrorEvent, deltas_of_response

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
    """The pieces of a stream that arrives in these parts; it must have been closed."""

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
    assert read(stream) == [
        Delta(reasoning="Hm. "),
        Delta(reasoning="So."),
        Delta(finish="stop"),
        Delta(used=Usage(7, 0, told=True)),
    ]


@given(JSON)
def test_any_event_is_read_or_refused(value: Any) -> None:
    try:
        pieces = read([f"data: {json.dumps(value)}\n\n".encode()])
    except (BadReply, ErrorEvent):
        return
    assert all(isinstance(piece.text, str) and isinstance(piece.finish, str) for piece in pieces)


COMPLETION = {
    "choices": [{"message": {"content": "Two parts"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3},
}


@pytest.mark.parametrize("cut", [0, 1, 30])
def test_completion_is_read_in_one_piece(cut: int) -> None:
    body = b" \r\n" + json.dumps(COMPLETION).encode()
    used = Usage(3, 0, told=True)
    read_in_two = read([body[:cut], body[cut:]], "application/json; charset=utf-8")
    assert read_in_two == [Delta("Two parts", finish="stop", used=used)]


@pytest.mark.parametrize(
    ("data", "end", "content_type"),
    [("data:", "\n", "text/event-stream"), ("data: ", "\r\n", "text/plain"), ("data:", "\r", "application/json")],
)
def test_odd_streams_are_read(data: str, end: str, content_type: str) -> None:
    texts = ["One ", "\u2028two", " \U0001f60a"]
    lines = [": comment", "retry: 10", "id: 7", ""]
    for text in texts:
        lines += [data + word(text).decode().removeprefix("data: ").strip(), "", ": ping", ""]
    stream = "".join(line + end for line in lines).encode()  # without [DONE]
    assert [piece.text for piece in read([stream[:9], stream[9:200], stream[200:]], content_type)] == texts


@pytest.mark.parametrize(
    "stream",
    [
        event(error={"code": "insufficient_quota"}),
        event(object="error", code=429),
        event(error="the model crashed"),
    ],
)
def test_error_event_is_raised(stream: bytes) -> None:
    with pytest.raises(ErrorEvent):
        read([word("Half"), stream])
