"""Who reads comes before who begins.

The beginning of an answer takes far more of the processor than any of its words. Where many begin at once, they do so
one after another, and each waits until the event loop is on time again, so that the words of others are not late.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

_LOOK_SECONDS = 0.005
_LATE_SECONDS = 0.005
# Where the loop is never on time, ten begin in a second all the same.
_LONGEST_SECONDS = 0.1


class Beginnings:
    """The order in which answers begin, in each event loop.

    Args:
        look: seconds that the loop is watched for, each time.
        late: seconds by which a loop that is on time may wake up late.
        longest: seconds that the first in the row waits at most.
    """

    def __init__(
        self, look: float = _LOOK_SECONDS, late: float = _LATE_SECONDS, longest: float = _LONGEST_SECONDS
    ) -> None:
        self._look = look
        self._late = late
        self._longest = longest
        self._rows: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def turn(self) -> None:
        """Return when it is time for another one to begin."""
        loop = asyncio.get_running_loop()
        now = loop.time
        async with self._rows.setdefault(loop, asyncio.Lock()):
            until = now() + self._longest
            is_late = True
            while is_late and now() < until:
                woken_by = now() + self._look
                await asyncio.sleep(self._look)
                is_late = now() > woken_by + self._late
