"""What comes from another thread, taken together at a steady pace: by a thread, or by an event loop."""

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
_LONGER = 2  # times as long as one was late

T = TypeVar("T")


class Pace:
    """Says when the next is due: some seconds behind the one before, at least."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._due = -math.inf

    def wait(self) -> float:
        return max(0.0, self._due - monotonic())

    def taken(self, came: float = math.inf) -> None:
        """One was taken, which came at that time.

        The next is due from when this one was, not from now: else each delay would stay with all that follows. One may
        be made up for, so that a model as fast as this pace never waits for it. But where one was taken late, more is
        asked for than can be done, and the next has longer.
        """
        now = monotonic()
        late = now - max(came, self._due)
        self._due = max(self._due + self._seconds, now - self._seconds)
        if late > _LATE:
            self._due = now + self._seconds + min(_LONGER * late, _LONGEST)


class _End(enum.Enum):
    END = enum.auto()


class ThreadInbox(Generic[T]):
    """An inbox whose reader is a thread. To put something into it never waits.

    Once it is closed, from any thread and as often as one likes, the reader gets what has come and nothing later. A
    signal handler may put into it and close it, and a reader that is interrupted leaves it whole: its queue has no lock
    that Python code holds.
    """

    def __init__(self, seconds: float) -> None:
        self._pace = Pace(seconds)
        self._items: SimpleQueue[T | _End] = SimpleQueue()

    def put(self, item: T) -> None:
        self._items.put(item)

    def close(self) -> None:
        self._items.put(_End.END)

    def take(self) -> tuple[list[T], bool]:
        """What has come since the last time, once that is due; and whether it is the last.

        Nothing where nothing comes for a while: a signal that arrives just before a wait is handled only after it.
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
    """An inbox, as `ThreadInbox`, whose reader is the event loop that it is made in, woken once for each batch."""

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
        """What has come since the last time, once that is due; and whether it is the last."""
        await self._due.wait()
        closed = self._closed
        if not closed:
            self._due.clear()
        # Before anything is taken: what is put from now on is told again, at worst for nothing.
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
        with suppress(RuntimeError):  # the loop is closed: nobody reads any more
            self._loop.call_soon_threadsafe(what)


Inbox: TypeAlias = ThreadInbox[T] | LoopInbox[T]
