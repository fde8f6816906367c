"""What a model's server sends, piece by piece: read from the wire where that is plain, else from litellm's chunks.

litellm and the openai client make several models of data of each chunk and keep them to the end, which takes more time
than all else that a word of text needs (docs/decisions/0022). So the stream of a server of the OpenAI protocol is read
as it comes; opening it, and what may go wrong by then, stay with litellm.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from assistant.errors import BadReply

if TYPE_CHECKING:
    from httpx2 import Response, ServerSentEvent

_END = "[DONE]"


class TokenCounts(NamedTuple):
    """Lengths of a prompt and of its reply, in tokens."""

    prompt: int
    reply: int


@dataclass(frozen=True, slots=True)
class Delta:
    """A part of a reply."""

    text: str = ""  # of the answer
    reasoning: str = ""  # what the model says to itself
    finish: str = ""  # why the reply ends, in the server's word; empty before that, and where the server does not say
    used: TokenCounts | None = None  # what the server counted, where it did


class ErrorEvent(Exception):
    """The server reports in the stream that something failed, as the exceptions of clients do. May hold the prompt."""

    def __init__(self, error: Any) -> None:
        super().__init__(json.dumps(error))
        self.body = error
        code = error.get("code") if isinstance(error, dict) else None
        self.status_code = code if isinstance(code, int) else None


@dataclass(slots=True)
class _TextFrom:
    """The part of a response that EventSource reads: its text from `first` on, whatever the server calls it."""

    response: Response
    first: str
    rest: AsyncIterator[str]
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})

    @property
    def request(self) -> Any:
        return self.response.request

    async def aiter_text(self) -> AsyncGenerator[str, None]:
        yield self.first
        async for text in self.rest:
            yield text


async def deltas_of_response(response: Response) -> AsyncGenerator[Delta, None]:
    """Yield the pieces of an open response in the OpenAI protocol, and close it at the end.

    Some servers answer with one JSON completion although a stream was asked for, and some name the wrong content type,
    so the first character decides: an object is a completion, anything else a stream of server-sent events.
    Raises BadReply (not in this protocol), ErrorEvent, json.JSONDecodeError (broken JSON), and httpx errors.
    """
    from httpx2 import EventSource  # imported late: the embedded model does not need it

    try:
        texts = response.aiter_text()
        first = ""
        async for text in texts:
            first = (first + text).lstrip("\ufeff \t\r\n")
            if first:
                break
        if first.startswith("{"):
            yield _delta(json.loads(first + "".join([text async for text in texts])))
            return
        source: Any = _TextFrom(response, first, texts)
        async with aclosing(cast("AsyncGenerator[ServerSentEvent, None]", aiter(EventSource(source)))) as events:
            async for event in events:
                if event.data.startswith(_END):
                    return
                if event.data:
                    yield _delta(json.loads(event.data), is_error=event.event == "error")
    finally:
        await response.aclose()


async def deltas_of_chunks(chunks: Any) -> AsyncGenerator[Delta, None]:
    """The pieces of a stream of litellm's. It makes up a finish reason where none came, which is left out here."""
    async with aclosing(chunks):
        async for chunk in chunks:
            usage = getattr(chunk, "usage", None)
            used = _tokens(usage.prompt_tokens, usage.completion_tokens) if usage else None
            if not chunk.choices:
                yield Delta(used=used)
                continue
            choice = chunk.choices[0]
            reasoning = getattr(choice.delta, "reasoning_content", None)
            finish = choice.finish_reason if chunks.received_finish_reason else None
            yield Delta(choice.delta.content or "", reasoning or "", finish or "", used)


def _delta(event: Any, *, is_error: bool = False) -> Delta:
    try:
        if is_error or event.get("error") or event.get("object") == "error":
            raise ErrorEvent(event.get("error") or event)
        usage = event.get("usage") or {}
        used = _tokens(usage.get("prompt_tokens"), usage.get("completion_tokens")) if usage else None
        if not event.get("choices"):
            return Delta(used=used)
        choice = event["choices"][0]
        delta = choice.get("delta") or choice.get("message") or {}  # the latter in a whole completion
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        return Delta(_text(delta.get("content")), _text(reasoning), _text(choice.get("finish_reason")), used)
    except (AttributeError, KeyError, TypeError):
        raise BadReply from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _tokens(*counts: Any) -> TokenCounts:
    """Whatever a server says; what is no number counts as none."""
    return TokenCounts(*(count if isinstance(count, int) and count > 0 else 0 for count in counts))
