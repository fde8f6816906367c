"""Run asynchronous streams for synchronous code: an event loop in its own thread, and a queue per stream.

A synchronous client could not be stopped while it waits for a server.
"""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing

from assistant.errors import ModelUnavailable

_IDLE_SECONDS = 0.25

Source = Callable[[], AsyncGenerator[str, None]]
_Pieces = queue.SimpleQueue[str | Exception | None]  # an error or None is the end


class EventLoopThread:
    """An event loop in a daemon thread, from the first use until `close`; a later use starts a new one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None

    def stream(self, source: Source) -> Generator[str, None, None]:
        """Yield the pieces of `source()`, which runs in the loop as one task.

        Closing the generator cancels the task without waiting for it. While no piece arrives, it yields an empty one
        four times a second, since a generator can only be closed at a `yield`.

        Raises:
            ModelUnavailable: the loop was closed before the end. Errors of the source pass through.
        """
        pieces = _Pieces()
        with self._lock:
            if self._running is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_serve, args=(loop,), name="model-loop", daemon=True)
                thread.start()
                self._running = loop, thread
            task = asyncio.run_coroutine_threadsafe(_pump(source, pieces), self._running[0])
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


async def _pump(source: Source, pieces: _Pieces) -> None:
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
