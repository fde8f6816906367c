"""Read the deltas of a reply: server-sent events in the OpenAI protocol, else litellm's chunks.

litellm and the openai client take thirty times as long for a chunk (docs/decisions/0022).
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from assistant.errors import BadReply
from assistant.model_usage import Usage

if TYPE_CHECKING:
    from httpx2 import Response, ServerSentEvent

_END = "[DONE]"


@dataclass(frozen=True, slots=True)
class Delta:
    text: str = ""  # of the answer
    reasoning: str = ""
    finish: str = ""  # finish reason in the server's word; empty before the end, or if the server gives none
    used: Usage | None = None  # as reported by the server


class ErrorEvent(Exception):
    """An error that the server reports in the stream. May contain the prompt."""

    def __init__(self, error: Any) -> None:
        super().__init__(json.dumps(error))
        code = error.get("code") if isinstance(error, dict) else None
        self.status_code = code if isinstance(code, int) else None


def deltas_of(chunks: Any) -> AsyncGenerator[Delta, None]:
    """Return the deltas of a litellm stream, read from the response itself if openai's client opened it."""
    if chunks.custom_llm_provider == "openai" and hasattr(chunks.completion_stream, "response"):
        return deltas_of_response(chunks.completion_stream.response)
    return _deltas_of_chunks(chunks)


async def deltas_of_response(response: Response) -> AsyncGenerator[Delta, None]:
    """Yield the deltas of an open response in the OpenAI protocol, and close it at the end.

    Some servers answer a streaming request with one JSON completion, and some send a wrong content type.

    Raises:
        BadReply: the response is not in this protocol.
        ErrorEvent: the server reports an error.
        json.JSONDecodeError: broken JSON. Errors of httpx pass through.
    """
    from httpx2 import EventSource  # imported late: the embedded model does not need it

    try:
        if "json" in response.headers.get("content-type", ""):
            body = (await response.aread()).lstrip()
            if body.startswith(b"{"):
                yield _delta(json.loads(body))
                return
        response.headers["content-type"] = "text/event-stream"
        events = cast("AsyncGenerator[ServerSentEvent, None]", aiter(EventSource(response)))
        async with aclosing(events):
            async for event in events:
                if event.data.startswith(_END):
                    return
                if event.data:
                    yield _delta(json.loads(event.data), is_error=event.event == "error")
    finally:
        await response.aclose()


async def _deltas_of_chunks(chunks: Any) -> AsyncGenerator[Delta, None]:
    """Yield the deltas of chunks, without the finish reason that litellm invents if there is none."""
    async with aclosing(chunks):
        async for chunk in chunks:
            event = chunk.model_dump()
            if not chunks.received_finish_reason:
                for choice in event["choices"]:
                    choice["finish_reason"] = None
            yield _delta(event)


def _delta(event: Any, *, is_error: bool = False) -> Delta:
    try:
        if is_error or event.get("error") or event.get("object") == "error":
            raise ErrorEvent(event.get("error") or event)
        usage = event.get("usage") or {}
        counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        prompt, reply = (count if isinstance(count, int) and count > 0 else 0 for count in counts)
        used = Usage(prompt, reply, told=True) if usage else None
        if not event.get("choices"):
            return Delta(used=used)
        choice = event["choices"][0]
        delta = choice.get("delta") or choice.get("message") or {}  # the latter in a whole completion
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        values = (delta.get("content"), reasoning, choice.get("finish_reason"))
        text, thoughts, finish = (value if isinstance(value, str) else "" for value in values)
        return Delta(text, thoughts, finish, used)
    except (AttributeError, KeyError, TypeError):
        raise BadReply from None
