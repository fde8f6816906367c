"""Admission control: delay new answers while the event loop is behind."""

import asyncio
import math
from weakref import WeakKeyDictionary


class Admission:
    """Queue of new answers or requests per event loop; running ones come first.

    The start of an answer takes far more processor time than its words. So during starts the loop is watched for `look`
    seconds at a time; it is late if it wakes up more than `late` seconds late. In each look `at_once` may start, the
    first without waiting. If the loop was late in the last `doubt` seconds, one may start, after a look that was on
    time. The first in the queue waits `longest` seconds at most.
    """

    def __init__(
        self, look: float = 0.02, late: float = 0.005, longest: float = 0.5, at_once: int = 1, doubt: float = 1.0
    ) -> None:
        self._look, self._late, self._longest, self._at_once, self._doubt = look, late, longest, at_once, doubt
        self._rows: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopMonitor] = WeakKeyDictionary()

    async def turn(self) -> None:
        """Return when the next one may start."""
        loop = asyncio.get_running_loop()
        row = self._rows.setdefault(loop, _LoopMonitor(self._look, self._late, self._doubt))
        async with row.lock:
            if row.is_watched and row.room:
                row.room -= 1
                return
            until = loop.time() + self._longest
            if row.is_watched or row.was_late():
                while await row.is_late() and loop.time() < until:
                    pass
            row.room = 0 if row.was_late() else self._at_once - 1
            row.watch()


class _LoopMonitor:
    """The queue of one event loop, and its lag. `room` more may start in the current look."""

    def __init__(self, look: float, late: float, doubt: float) -> None:
        self._look, self._late, self._doubt = look, late, doubt
        self._seen: asyncio.Future[bool] | None = None
        self._late_at = -math.inf
        self.lock = asyncio.Lock()
        self.room = 0

    @property
    def is_watched(self) -> bool:
        return self._seen is not None and not self._seen.done()

    def was_late(self) -> bool:
        return asyncio.get_running_loop().time() - self._late_at < self._doubt

    async def is_late(self) -> bool:
        """Return True if the current look, or else a new one, finds the loop late."""
        return await asyncio.shield(self.watch())

    def watch(self) -> "asyncio.Future[bool]":
        """Start a look unless one is running; its future tells at the end whether the loop is late."""
        if self._seen and not self._seen.done():
            return self._seen
        loop = asyncio.get_running_loop()
        self._seen = loop.create_future()
        loop.call_later(self._look, self._wake_up, self._seen, loop.time() + self._look + self._late)
        return self._seen

    def _wake_up(self, seen: "asyncio.Future[bool]", in_time: float) -> None:
        now = asyncio.get_running_loop().time()
        if now > in_time:
            self._late_at = now
        seen.set_result(now > in_time)
