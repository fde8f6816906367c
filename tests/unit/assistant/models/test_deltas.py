import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any

import httpx
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadReply
from assistant.models.remote.deltas import Delta, ErrorEvent, TokenCounts, deltas_of_events

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


def read(parts: Sequence[bytes]) -> list[Delta]:
    """The pieces of a stream that arrives in these parts; it must have been closed."""

    async def body() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    async def all_pieces() -> list[Delta]:
        response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body())
        try:
            return [piece async for piece in deltas_of_events(response)]
        finally:
            assert response.is_closed

    return asyncio.run(all_pieces())


@given(st.lists(st.text(max_size=8), max_size=6), st.lists(st.integers(0, 400), max_size=6))
def test_the_text_comes_whole_wherever_the_bytes_are_parted(texts: list[str], cuts: list[int]) -> None:
    stream = b": hello\n\n" + b"".join(map(word, texts)) + b"data: [DONE]\n\n" + word("never")
    ends = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    parts = [stream[begin:end] for begin, end in pairwise(ends)]
    assert [piece.text for piece in read(parts)] == texts


def test_what_stands_beside_the_text_is_read() -> None:
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
        Delta(used=TokenCounts(7, 0)),
    ]


@given(JSON)
def test_any_event_is_a_piece_or_one_of_two_errors(value: Any) -> None:
    try:
        pieces = read([f"data: {json.dumps(value)}\n\n".encode()])
    except (BadReply, ErrorEvent):
        return
    assert all(isinstance(piece.text, str) and isinstance(piece.finish, str) for piece in pieces)
