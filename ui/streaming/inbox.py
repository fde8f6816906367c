"""Batch items of another thread at a steady pace, for a thread or an event loop."""

import asyncio
import enum
import math
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Generic, TypeAlias, TypeVar

_SECONDS_UNTIL_SIGNALS = 0.5
_LATE, _LONGEST = 0.03, 0.5  # seconds
_LONGER = 2  # times the last delay

T = TypeVar("T")


class Pace:
    """Rate limit for batches: a minimum time between two."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._due = -math.inf

    def wait(self) -> float:
        return max(0.0, self._due - monotonic())

    def taken(self, came: float = math.inf) -> None:
        """Record a batch whose first item came at this time.

        The next is due relative to this one's due time, so that delays do not accumulate, and one batch may be caught
        up: a model as fast as this pace never waits. If a batch was taken late, the loop is overloaded and the next
        waits longer.
        """
        now = monotonic()
        late = now - max(came, self._due)
        self._due = max(self._due + self._seconds, now - self._seconds)
        if late > _LATE:
            self._due = now + self._seconds + min(_LONGER * late, _LONGEST)


class _End(enum.Enum):
    END = enum.auto()


class ThreadInbox(Generic[T]):
    """Inbox read by a thread. `put` never blocks.

    After `close`, which any thread may call repeatedly, the reader gets the items so far and none later. Signal
    handlers may call both, and interrupt a reader: the queue has no lock that Python code holds.
    """

    def __init__(self, seconds: float) -> None:
        self._pace = Pace(seconds)
        self._items: SimpleQueue[T | _End] = SimpleQueue()

    def put(self, item: T) -> None:
        self._items.put(item)

    def close(self) -> None:
        self._items.put(_End.END)

    def take(self) -> tuple[list[T], bool]:
        """Return the items since the last call, once due, and True if they are the last.

        Returns no items after a timeout: a signal that arrives just before a wait is handled only after it.
        """
        items: list[T] = []
        wait = _SECONDS_UNTIL_SIGNALS
        with suppress(Empty):
            while (item := self._items.get(timeout=wait)) is not _End.END:
                items.append(item)
                wait = self._pace.wait()
            return items, True
        if items:
            self._pace.taken()
        return items, False


class LoopInbox(Generic[T]):
    """`ThreadInbox` read by the event loop that creates it, which is woken once per batch."""

    def __init__(self, seconds: float) -> None:
        self._pace = Pace(seconds)
        self._items: deque[T] = deque()
        self._closed = False
        self._told = False
        self._came = math.inf
        self._due = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def put(self, item: T) -> None:
        self._items.append(item)
        if not self._told:
            self._told, self._came = True, monotonic()
            self._call(self._wait_until_due)

    def close(self) -> None:
        self._closed = True
        self._call(self._due.set)

    async def take(self) -> tuple[list[T], bool]:
        """Return the items since the last call, once due, and True if they are the last."""
        await self._due.wait()
        closed = self._closed
        if not closed:
            self._due.clear()
        # Reset before taking items: a `put` meanwhile wakes the loop again, at worst needlessly.
        came, self._told = self._came, False
        items = [self._items.popleft() for _ in range(len(self._items))]
        if items:
            self._pace.taken(came)
        return items, closed

    def _wait_until_due(self) -> None:
        if wait := self._pace.wait():
            self._loop.call_later(wait, self._due.set)
        else:
            self._due.set()

    def _call(self, what: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(what)


Inbox: TypeAlias = ThreadInbox[T] | LoopInbox[T]
