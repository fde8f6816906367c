"""Run operations for programs in threads, and cancel them when the client disconnects."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio
from anyio.to_thread import run_sync
from starlette.types import Receive

from assistant.errors import NotFound
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.table import FOR_PROGRAMS
from ui.server.services import Services

Result = TypeVar("Result")


_FURTHER_CALLS = 32  # beside the answers being written


class Threads:
    """A bounded pool of threads for programs, so that waiting calls never block the page."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._limiter = anyio.CapacityLimiter(services.runs.most + _FURTHER_CALLS)

    async def run(self, function: Callable[[], Result]) -> Result:
        return await run_sync(function, limiter=self._limiter)

    async def results(self, name: str, scope: Scope, sent: object) -> AsyncGenerator[dict[str, Any], None]:
        """Call an operation for a user, and yield its result, or its results while it works.

        Each call is counted. A streaming one takes a place among the answers and stops when the client disconnects;
        others pass admission control (`Work`). Raises the errors of the operation; NotFound if programs may not call
        this name.
        """
        operation = FOR_PROGRAMS.get(name)
        if operation is None:
            raise NotFound("operation.unknown")
        call, work = Call(self._services, scope), self._services.work
        if not operation.streams:
            yield await work.do(lambda _is_left: next(operation.results(call, sent)), scope)
            return
        work.count(scope)
        results = operation.results(call, sent)
        try:
            while result := await run_sync(next, results, None, abandon_on_cancel=True, limiter=self._limiter):
                yield result
        finally:
            call.stop()

    async def last(self, name: str, scope: Scope, sent: object) -> dict[str, Any]:
        """Return the last of the `results`."""
        last: dict[str, Any] = {}
        async for result in self.results(name, scope, sent):
            last = result  # results are cumulative
        return last


@contextmanager
def cancel_on_disconnect(receive: Receive) -> Iterator[None]:
    """Cancel the block when the client disconnects; the request body must have been read."""
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
