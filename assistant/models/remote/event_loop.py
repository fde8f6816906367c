"""Asynchronous streams for ordinary threads: an event loop in a thread of its own, a bounded queue per stream."""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

_IDLE_SECONDS = 0.25
# Pieces that a stream may be ahead of its reader.
_AHEAD = 64
# Pieces after which the stream is told that they were read.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _End:
    error: Exception | None


@dataclass(frozen=True, slots=True)
class _Running:
    loop: asyncio.AbstractEventLoop
    closing: asyncio.Event
    thread: threading.Thread


class LoopClosedError(RuntimeError):
    """The event loop was closed before a stream came to its end."""


class EventLoopThread:
    """An event loop in a daemon thread of this name, from the first use until `close` or the end of the process."""

    def __init__(self, name: str = "model-loop") -> None:
        self._name = name
        self._running: _Running | None = None
        self._starting = threading.Lock()

    def stream(self, source: Callable[[], AsyncGenerator[T, None]], idle: T) -> Generator[T, None, None]:
        """What `source()` yields, in order. It runs in the loop as one task, a bounded number of pieces ahead.

        Closing the generator cancels the task wherever it waits, and does not wait for it. A generator can only be
        closed between two pieces, so it yields `idle` four times a second while nothing comes. Raises what the source
        raised, and LoopClosedError where the loop was closed before the end.
        """
        loop = self._start().loop
        pieces: queue.SimpleQueue[tuple[T] | _End] = queue.SimpleQueue()
        room = asyncio.Semaphore(_AHEAD)
        task = asyncio.run_coroutine_threadsafe(_pump(source, pieces, room), loop)
        taken = 0
        try:
            while True:
                try:
                    piece = pieces.get(timeout=_IDLE_SECONDS)
                except queue.Empty:
                    yield idle
                    continue
                if isinstance(piece, _End):
                    break
                taken += 1
                if taken % _AT_ONCE == 0:  # each waking of the loop costs as much as a piece
                    loop.call_soon_threadsafe(_release, room, _AT_ONCE)
                yield piece[0]
        finally:
            task.cancel()
        if piece.error is not None:
            raise piece.error

    def begin(self, work: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Start `work()` in the loop; what it returns comes later."""
        return asyncio.run_coroutine_threadsafe(work(), self._start().loop)

    def close(self) -> None:
        """Cancel what runs in the loop and end its thread. A later use starts a new one."""
        with self._starting:
            running, self._running = self._running, None
        if running is not None:
            running.loop.call_soon_threadsafe(running.closing.set)
            running.thread.join()

    def _start(self) -> _Running:
        with self._starting:
            if self._running is None:
                started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
                thread = threading.Thread(target=asyncio.run, args=(_serve(started),), name=self._name, daemon=True)
                thread.start()
                self._running = _Running(*started.result(), thread)
            return self._running


def _release(room: asyncio.Semaphore, pieces: int) -> None:
    for _ in range(pieces):
        room.release()


async def _serve(started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    closing = asyncio.Event()
    started.set_result((asyncio.get_running_loop(), closing))
    await closing.wait()


async def _pump(
    source: Callable[[], AsyncGenerator[T, None]], pieces: queue.SimpleQueue[tuple[T] | _End], room: asyncio.Semaphore
) -> None:
    error: Exception | None = LoopClosedError("the event loop was closed")
    try:
        async with aclosing(source()) as stream:
            async for value in stream:
                await room.acquire()
                pieces.put((value,))
        error = None
    except Exception as failure:  # whatever it is, the reader gets it
        error = failure
    finally:
        pieces.put(_End(error))
