"""When that begins which may wait, in an event loop that serves others at the same time."""

import asyncio
import math
from weakref import WeakKeyDictionary


class Admission:
    """The order in which answers begin, or requests, in each event loop: who reads comes before who begins.

    The beginning of an answer takes far more of the processor than any of its words. So while some begin, the loop is
    watched for `look` seconds each time, and is on time where it wakes up `late` seconds late at most. In each look
    `at_once` may begin, of which the first need not wait; but where the loop was late in the last `doubt` seconds, one,
    behind a look that was on time. The first in the row waits `longest` seconds at most, even where that never comes.
    """

    def __init__(
        self, look: float = 0.02, late: float = 0.005, longest: float = 0.5, at_once: int = 1, doubt: float = 1.0
    ) -> None:
        self._look, self._late, self._longest, self._at_once, self._doubt = look, late, longest, at_once, doubt
        self._rows: WeakKeyDictionary[asyncio.AbstractEventLoop, _Row] = WeakKeyDictionary()

    async def turn(self) -> None:
        """Return when it is time for another one to begin."""
        loop = asyncio.get_running_loop()
        row = self._rows.setdefault(loop, _Row(self._look, self._late, self._doubt))
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


class _Row:
    """Those who wait in one event loop, and what is seen of it. In the present look there is `room` for so many."""

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
        """What the look that is going on comes to, or else a new one."""
        return await asyncio.shield(self.watch())

    def watch(self) -> "asyncio.Future[bool]":
        """Look, unless one is going on; whether the loop is late is known at its end."""
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
