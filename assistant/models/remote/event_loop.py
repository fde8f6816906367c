"""Run asynchronous streams for ordinary threads: an event loop in a thread of its own, and a queue per stream."""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing
from dataclasses import dataclass

from assistant.errors import ModelUnavailable

_IDLE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class _End:
    error: Exception | None


class EventLoopThread:
    """An event loop in a daemon thread of this name, from the first use until `close` or the end of the process."""

    def __init__(self, name: str = "model-loop") -> None:
        self._name = name
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Event, threading.Thread] | None = None

    def stream(self, source: Callable[[], AsyncGenerator[str, None]]) -> Generator[str, None, None]:
        """Yield what `source()` yields, in order; it runs in the loop as one task.

        Closing the generator cancels the task wherever it waits, and does not wait for it. A generator can only be
        closed between two pieces, so it yields an empty one four times a second while nothing comes.

        Raises:
            ModelUnavailable: the loop was closed before the end. Errors of the source pass through.
        """
        pieces = queue.SimpleQueue[str | _End]()
        task = asyncio.run_coroutine_threadsafe(_pump(source, pieces), self._start())
        try:
            while True:
                try:
                    piece = pieces.get(timeout=_IDLE_SECONDS)
                except queue.Empty:
                    yield ""
                    continue
                if isinstance(piece, _End):
                    break
                yield piece
        finally:
            task.cancel()
        if piece.error is not None:
            raise piece.error

    def close(self) -> None:
        """Cancel what runs in the loop and end its thread. A later use starts a new one."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            loop, closing, thread = running
            loop.call_soon_threadsafe(closing.set)
            thread.join()

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._running is None:
                loop, closing = asyncio.new_event_loop(), asyncio.Event()

                def serve() -> None:
                    with asyncio.Runner(loop_factory=lambda: loop) as runner:
                        runner.run(closing.wait())

                thread = threading.Thread(target=serve, name=self._name, daemon=True)
                thread.start()
                self._running = loop, closing, thread
            return self._running[0]


async def _pump(source: Callable[[], AsyncGenerator[str, None]], pieces: queue.SimpleQueue[str | _End]) -> None:
    error: Exception | None = ModelUnavailable()  # where the loop is closed
    try:
        async with aclosing(source()) as stream:
            async for piece in stream:
                pieces.put(piece)
        error = None
    except Exception as failure:  # whatever it is, the reader gets it
        error = failure
    finally:
        pieces.put(_End(error))
