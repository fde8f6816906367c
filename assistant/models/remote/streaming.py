"""Stream the call of a remote model: in an event loop that can be stopped, as deltas, with its cost.

litellm and the openai client take thirty times as long for a chunk as reading the server-sent events of the OpenAI
protocol here (docs/decisions/0022).
"""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from assistant.errors import BadReply, ModelUnavailable, PriceUnknown
from assistant.model_usage import Count, Usage
from assistant.ports import Spending

if TYPE_CHECKING:
    from httpx2 import Response, ServerSentEvent

_IDLE_SECONDS = 0.25
# English has four bytes per token; other scripts have more bytes per letter, and fewer letters per token.
_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 16  # around each message


class EventLoopThread:
    """An event loop in a daemon thread, from the first use until `close`; a later use starts a new one.

    A synchronous client could not be stopped while it waits for a server.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None

    def stream(self, source: Callable[[], AsyncGenerator[str, None]]) -> Generator[str, None, None]:
        """Yield the pieces of `source()`, which runs in the loop as one task.

        Closing the generator cancels the task without waiting for it. While no piece arrives, it yields an empty one
        four times a second, since a generator can only be closed at a `yield`.

        Raises:
            ModelUnavailable: the loop was closed before the end. Errors of the source pass through.
        """
        pieces = queue.SimpleQueue[str | Exception | None]()  # an error or None is the end

        async def pump() -> None:
            end: Exception | None = ModelUnavailable()  # if the loop is closed
            try:
                async with aclosing(source()) as stream:
                    async for piece in stream:
                        pieces.put(piece)
                end = None
            except Exception as error:  # re-raised in the reader
                end = error
            finally:
                pieces.put(end)

        with self._lock:
            if self._running is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_serve, args=(loop,), name="model-loop", daemon=True)
                thread.start()
                self._running = loop, thread
            task = asyncio.run_coroutine_threadsafe(pump(), self._running[0])
        try:
            while True:
                try:
                    piece = pieces.get(timeout=_IDLE_SECONDS)
                except queue.Empty:
                    piece = ""
                if piece is None:
                    return
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        finally:
            task.cancel()

    def close(self) -> None:
        """Cancel all tasks of the loop and end its thread."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            loop, thread = running
            loop.call_soon_threadsafe(loop.stop)
            thread.join()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, then cancel its tasks."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop().run_forever()


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


async def deltas_of(chunks: Any) -> AsyncGenerator[Delta, None]:
    """Yield the deltas of a litellm stream, read from the response itself if openai's client opened it."""
    if chunks.custom_llm_provider == "openai" and hasattr(chunks.completion_stream, "response"):
        async with aclosing(deltas_of_response(chunks.completion_stream.response)) as deltas:
            async for delta in deltas:
                yield delta
        return
    async with aclosing(chunks):
        async for chunk in chunks:
            event = chunk.model_dump()
            if not chunks.received_finish_reason:  # litellm invents a finish reason if there is none
                for choice in event["choices"]:
                    choice["finish_reason"] = None
            yield _read_event(event)


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
                yield _read_event(json.loads(body))
                return
        response.headers["content-type"] = "text/event-stream"
        events = cast("AsyncGenerator[ServerSentEvent, None]", aiter(EventSource(response)))
        async with aclosing(events):
            async for event in events:
                if event.data.startswith("[DONE]"):
                    return
                if event.data:
                    yield _read_event(json.loads(event.data), is_error=event.event == "error")
    finally:
        await response.aclose()


def _read_event(event: Any, *, is_error: bool = False) -> Delta:
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


@dataclass(slots=True)
class Bill:
    """Token usage of one call, estimated until the server reports it."""

    texts: Sequence[str]  # of the prompt
    longest_reply: int  # in tokens
    reply_bytes: int = 0  # received so far, reasoning included
    told: Usage | None = None  # as reported by the server

    def most(self) -> Usage:
        """Return the maximum usage of the call: no token is shorter than a byte."""
        longest = _size(self.texts) + len(self.texts) * _TOKENS_PER_MESSAGE
        return Usage(longest, self.longest_reply, told=False)

    def used(self) -> Usage:
        """Return the usage of the call so far, as reported or else estimated."""
        return self.told or Usage(estimate_tokens(self.texts), -(-self.reply_bytes // _BYTES_PER_TOKEN), told=False)

    def take(self, delta: Delta) -> None:
        """Count a part of the reply, and the usage that the server reports in it."""
        self.reply_bytes += _size([delta.text, delta.reasoning])
        self.told = delta.used or self.told


def estimate_tokens(texts: Sequence[str]) -> int:
    """Return the likely number of tokens of texts."""
    return -(-_size(texts) // _BYTES_PER_TOKEN)


def _size(texts: Sequence[str]) -> int:
    """Return the bytes of texts."""
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


@contextmanager
def reserve_spending(
    bill: Bill, price: Callable[[Usage], float | None], spending: Spending | None, count: Count
) -> Iterator[None]:
    """Reserve the maximum cost of the call in the block within `spending`; count and settle the true cost at its end.

    `price` returns US dollars, None if unknown. Raises SpendUsedUp, and PriceUnknown if there is a limit.
    """
    settle = None
    if spending is not None:
        if (dollars := price(bill.most())) is None:
            raise PriceUnknown
        settle = spending(dollars)
    try:
        yield
    finally:
        used = bill.used()
        dollars = price(used)
        if bill.reply_bytes or bill.told:  # otherwise, the server may not have read the prompt
            count(replace(used, dollars=dollars))
        if settle is not None and dollars is not None:
            settle(dollars)
