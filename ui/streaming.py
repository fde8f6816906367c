"""A generator that blocks, run in a thread and read in an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import closing, suppress
from typing import TypeVar

T = TypeVar("T")


async def from_thread(begin: Callable[[], Generator[T, None, None]]) -> AsyncGenerator[T, None]:
    """What a generator yields, each when it comes.

    The generator runs in one thread from its beginning to its end, so that a loop which serves many people goes to no
    other thread and back for each thing. It is at most one step ahead of its reader; closed with it.

    Args:
        begin: makes the generator, in the thread.

    Raises:
        Exception: whatever the generator raises.
    """
    loop = asyncio.get_running_loop()
    made: asyncio.Queue[tuple[T] | Exception | None] = asyncio.Queue()
    read = threading.Semaphore(1)  # one ahead, so that nobody has to be woken where the reader keeps up
    abandoned = threading.Event()

    def tell(what: tuple[T] | Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody reads any more
            loop.call_soon_threadsafe(made.put_nowait, what)

    def make() -> None:
        try:
            with closing(begin()) as items:
                for item in items:
                    if abandoned.is_set():
                        return
                    tell((item,))
                    read.acquire()
        except Exception as error:  # whatever it is, the reader gets it
            tell(error)
        else:
            tell(None)

    threading.Thread(target=make, name="updates", daemon=True).start()
    try:
        while isinstance(what := await made.get(), tuple):
            yield what[0]
            read.release()
        if what is not None:
            raise what
    finally:
        abandoned.set()
        read.release()
