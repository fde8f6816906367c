"""What a model's server sends, piece by piece: read from the wire where that is plain, else from litellm's chunks.

litellm and the openai client make several models of data of each chunk and keep them to the end, which takes more time
than all else that a word of text needs (docs/decisions/0022). So the stream of a server of the OpenAI protocol is read
as it comes; opening it, and what may go wrong by then, stay with litellm.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from httpx_sse import EventSource

from assistant.errors import BadReply
from assistant.models.bill import Tokens

if TYPE_CHECKING:
    import httpx

_END = "[DONE]"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a reply.

    Args:
        text: of the answer.
        reasoning: what the model says to itself.
        finish: why the reply ends, in the server's word; empty before that, and where the server does not say.
        used: what the server counted, where it did.
    """

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    used: Tokens | None = None


class ErrorEvent(Exception):
    """The server reports in the stream that something failed. Its text may hold the prompt.

    Attributes:
        status_code: the status that it names, if any, as the exceptions of clients have it.
    """

    def __init__(self, error: Any) -> None:
        super().__init__(json.dumps(error))
        code = error.get("code") if isinstance(error, dict) else None
        self.status_code = code if isinstance(code, int) else None


async def pieces_of_events(response: httpx.Response) -> AsyncGenerator[Piece, None]:
    """The pieces of an open stream of server-sent events in the OpenAI protocol; it is closed at the end.

    Raises:
        BadReply: it is not in this protocol.
        ErrorEvent: the server reports an error.
        json.JSONDecodeError: an event is broken.
        httpx.HTTPError: the connection is.
    """
    try:
        async with aclosing(EventSource(response).aiter_sse()) as events:
            async for event in events:
                if event.data.startswith(_END):
                    return
                if event.data:
                    yield _piece(json.loads(event.data))
    finally:
        await response.aclose()


async def pieces_of_chunks(chunks: Any) -> AsyncGenerator[Piece, None]:
    """The pieces of a stream of litellm's. It makes up a finish reason where none came, which is left out here."""
    async with aclosing(chunks):
        async for chunk in chunks:
            usage = getattr(chunk, "usage", None)
            used = _tokens(usage.prompt_tokens, usage.completion_tokens) if usage else None
            if not chunk.choices:
                yield Piece(used=used)
                continue
            choice = chunk.choices[0]
            reasoning = getattr(choice.delta, "reasoning_content", None)
            finish = choice.finish_reason if chunks.received_finish_reason else None
            yield Piece(choice.delta.content or "", reasoning or "", finish or "", used)


def _piece(event: Any) -> Piece:
    try:
        if event.get("error"):
            raise ErrorEvent(event["error"])
        usage = event.get("usage") or {}
        used = _tokens(usage.get("prompt_tokens"), usage.get("completion_tokens")) if usage else None
        if not event.get("choices"):
            return Piece(used=used)
        choice = event["choices"][0]
        delta = choice.get("delta") or {}
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        return Piece(_text(delta.get("content")), _text(reasoning), _text(choice.get("finish_reason")), used)
    except (AttributeError, KeyError, TypeError):
        raise BadReply from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _tokens(*counts: Any) -> Tokens:
    """Whatever a server says; what is no number counts as none."""
    return Tokens(*(count if isinstance(count, int) and count > 0 else 0 for count in counts))
