"""Stream a remote model's reply as deltas, from an event loop that can be stopped; estimate and limit its cost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any

from assistant.background import read_pieces
from assistant.errors import BadReply, ModelUnavailable, PriceUnknown
from assistant.model_usage import Count, Usage
from assistant.ports import Spending

# English has four bytes per token; other scripts have more bytes per letter, and fewer letters per token.
_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 16  # around each message
_COUNTS = ("prompt_tokens", "completion_tokens")


class EventLoopThread:
    """An event loop in a daemon thread: a synchronous client could not be stopped while it waits for a server."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="model-loop", daemon=True)
        self._thread.start()

    def stream(self, source: AsyncGenerator[str, None]) -> Generator[str, None, None]:
        """Yield the pieces of a source, which runs in the loop as one task.

        Closing the generator cancels the task without waiting for it. Yields empty pieces meanwhile (`read_pieces`).

        Raises:
            ModelUnavailable: the loop is closed before the end. Errors of the source pass through.
        """
        pieces = SimpleQueue[str | Exception | None]()  # an error or None is the end

        async def pump() -> None:
            end: Exception | None = ModelUnavailable()  # if the loop is closed
            try:
                async with aclosing(source):
                    async for piece in source:
                        pieces.put(piece)
                end = None
            except Exception as error:  # re-raised in the reader
                end = error
            finally:
                pieces.put(end)

        if self._loop.is_closed():
            raise ModelUnavailable
        task = asyncio.run_coroutine_threadsafe(pump(), self._loop)
        try:
            yield from read_pieces(pieces)
        finally:
            task.cancel()

    def close(self) -> None:
        """Cancel all tasks of the loop and end its thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # cancels the tasks at its end
            runner.get_loop().run_forever()


@dataclass(frozen=True, slots=True)
class Delta:
    text: str  # of the answer
    reasoning: str
    finish: str  # finish reason in the server's word; empty before the end, or if the server gives none
    used: Usage | None  # as reported by the server


async def read_deltas(reply: Any) -> AsyncGenerator[Delta, None]:
    """Yield the deltas of a litellm reply, streamed or whole. Raises BadReply; errors of litellm pass through.

    The openai client's own stream is read without litellm's wrapper, which takes five times as long for a chunk.
    """
    if not hasattr(reply, "completion_stream"):
        yield _read_chunk(reply)
        return
    is_openai = reply.custom_llm_provider == "openai"
    async with aclosing(reply):
        async for chunk in reply.completion_stream if is_openai else reply:
            delta = _read_chunk(chunk)
            # litellm invents a finish reason if there is none
            yield delta if is_openai or reply.received_finish_reason else replace(delta, finish="")


def _read_chunk(chunk: Any) -> Delta:
    """Read a chunk of a stream or a whole completion; the openai client does not check their types."""
    try:
        choice = chunk.choices[0] if chunk.choices else None
        counts = [getattr(chunk, "usage", None) and getattr(chunk.usage, name) for name in _COUNTS]
    except (AttributeError, LookupError, TypeError):
        raise BadReply from None
    said = getattr(choice, "delta", None) or getattr(choice, "message", None)
    reasoning = getattr(said, "reasoning_content", None) or getattr(said, "reasoning", None)
    values = (getattr(said, "content", None), reasoning, getattr(choice, "finish_reason", None))
    text, thoughts, finish = (value if isinstance(value, str) else "" for value in values)
    prompt, answer = (count if isinstance(count, int) and count > 0 else 0 for count in counts)
    return Delta(text, thoughts, finish, Usage(prompt, answer, told=True) if prompt or answer else None)


def estimate_tokens(texts: Sequence[str]) -> int:
    """Return the likely number of tokens of texts."""
    return -(-_bytes(texts) // _BYTES_PER_TOKEN)


def _bytes(texts: Sequence[str]) -> int:
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


@dataclass(slots=True)
class Bill:
    """Token usage of one call, estimated until the server reports it."""

    reply_bytes: int = 0  # received so far, reasoning included
    told: Usage | None = None  # as reported by the server

    def take(self, delta: Delta) -> None:
        """Count a part of the reply, and the usage that the server reports in it."""
        self.reply_bytes += _bytes([delta.text, delta.reasoning])
        self.told = delta.used or self.told


@contextmanager
def reserve_spending(
    texts: Sequence[str],
    longest_reply: int,
    price: Callable[[Usage], float | None],
    spending: Spending | None,
    count: Count,
) -> Iterator[Bill]:
    """Reserve the maximum cost of a call within `spending`; yield its bill; count and settle the true cost at the end.

    `texts` are those of the prompt: at most one token per byte. `longest_reply` is in tokens. `price` returns US
    dollars, None if unknown. With a limit, raises SpendUsedUp and PriceUnknown.
    """
    bill, settle = Bill(), None
    if spending is not None:
        most = price(Usage(_bytes(texts) + len(texts) * _TOKENS_PER_MESSAGE, longest_reply, told=False))
        if most is None:
            raise PriceUnknown
        settle = spending(most)
    try:
        yield bill
    finally:
        reply = -(-bill.reply_bytes // _BYTES_PER_TOKEN)
        used = bill.told or Usage(estimate_tokens(texts), reply, told=False)
        dollars = price(used)
        if bill.reply_bytes or bill.told:  # otherwise, the server may not have read the prompt
            count(replace(used, dollars=dollars))
        if settle is not None and dollars is not None:
            settle(dollars)
