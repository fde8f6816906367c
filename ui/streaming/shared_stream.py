"""Updates of a run, for the page that began it and for pages that connect later."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Generic, TypeVar

SECONDS_UNREAD = 10.0
_MOST_READERS = 4

T = TypeVar("T")


class SharedStream(Generic[T]):
    """The updates of a run, each cumulative. Create and read it in one event loop.

    A page that reloads leaves the run without readers for a moment, so it is cancelled only after `seconds` without
    any.
    """

    def __init__(self, name: str, updates: AsyncGenerator[T, None], seconds: float = SECONDS_UNREAD) -> None:
        self.name = name
        self.latest: T | None = None
        self._seconds = seconds
        self._readers = 0
        self._came = asyncio.Event()
        self.task = asyncio.create_task(self._take(updates))
        self.task.add_done_callback(lambda _task: self._came.set())

    @property
    def has_room(self) -> bool:
        """Return True if another page may read; the number of readers is limited."""
        return self._readers < _MOST_READERS

    async def read(self) -> AsyncGenerator[T, None]:
        """Yield the latest update and later ones; some may be skipped. Raises the errors of the run."""
        self._readers += 1
        seen: T | None = None
        try:
            while self.latest is not seen or not self.task.done():
                came = self._came
                if self.latest is seen:
                    await came.wait()
                elif (seen := self.latest) is not None:
                    yield seen
            self.task.result()
        finally:
            self._readers -= 1
            asyncio.get_running_loop().call_later(self._seconds, self._end_unread)

    async def _take(self, updates: AsyncGenerator[T, None]) -> None:
        async with aclosing(updates):
            async for self.latest in updates:
                came, self._came = self._came, asyncio.Event()
                came.set()

    def _end_unread(self) -> None:
        if not self._readers:
            self.task.cancel()
