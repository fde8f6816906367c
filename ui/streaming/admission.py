"""Admission control: delay new answers while the event loop is behind."""

import asyncio


class Admission:
    """Queue of new answers; running ones come first, since a start takes far more processor time than a word.

    Each start waits until the event loop wakes up at most `late` seconds late from a sleep of `look` seconds, and
    `longest` seconds at most.
    """

    def __init__(self, look: float = 0.02, late: float = 0.005, longest: float = 0.5) -> None:
        self._look, self._late, self._longest = look, late, longest
        self._queue = asyncio.Lock()

    async def turn(self) -> None:
        """Return when the next answer may start."""
        loop = asyncio.get_running_loop()
        async with self._queue:
            until = loop.time() + self._longest
            while (due := loop.time() + self._look) < until:
                await asyncio.sleep(self._look)
                if loop.time() - due <= self._late:
                    return
