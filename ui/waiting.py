"""Lets the server wait for functions that work in threads, and tells them when nobody waits any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio.to_thread import run_sync

if TYPE_CHECKING:
    from starlette.types import Receive

Result = TypeVar("Result")


class Threads:
    """Threads of their own, so that waiting for answers never keeps the page waiting.

    Args:
        most: how many at once.
    """

    def __init__(self, most: int) -> None:
        self._limiter = anyio.CapacityLimiter(most)

    async def run(self, function: Callable[[], Result]) -> Result:
        """What a function returns."""
        return await run_sync(function, limiter=self._limiter)

    async def results(self, results: Iterator[Result], stop: Callable[[], None]) -> AsyncIterator[Result]:
        """What a generator yields. `stop` is called where the caller goes away before the end.

        Raises:
            Exception: whatever the generator raises.
        """
        nothing = object()
        try:
            while True:
                result = await run_sync(next, results, nothing, abandon_on_cancel=True, limiter=self._limiter)
                if result is nothing:
                    return
                yield result  # type: ignore[misc]  # it is none of nothing
        finally:
            stop()

    async def last(self, results: Iterator[Result], stop: Callable[[], None]) -> Result:
        """The last that a generator yields, of one at least; else as `results`."""
        return [result async for result in self.results(results, stop)][-1]


@contextmanager
def while_somebody_waits(receive: Receive) -> Iterator[None]:
    """Work for a request, of which the body has been read; it is cancelled where the caller goes away."""
    with anyio.CancelScope() as work:
        watching = asyncio.ensure_future(_cancel_when_gone(work, receive))
        try:
            yield
        finally:
            watching.cancel()


async def _cancel_when_gone(work: anyio.CancelScope, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    work.cancel()
