"""What the interfaces for programs share: operations in threads of their own, which end where the caller goes away."""

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
    """Threads of their own for programs, a bounded number, so that waiting for answers never keeps the page waiting."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._limiter = anyio.CapacityLimiter(services.runs.most + _FURTHER_CALLS)

    async def run(self, function: Callable[[], Result]) -> Result:
        return await run_sync(function, limiter=self._limiter)

    async def results(self, name: str, scope: Scope, sent: object) -> AsyncGenerator[dict[str, Any], None]:
        """Call an operation for a user: yield its result, or its results while it works. Raises as it does.

        Each call is counted. One that streams takes a place of the answers, and stops where the caller goes away; any
        other waits for its turn (`Work`). Raises NotFound: programs may call no operation of this name.
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
        """Return the last of the `results`, of one at least."""
        last: dict[str, Any] = {}
        async for result in self.results(name, scope, sent):
            last = result  # none of the others is kept: each is the whole so far
        return last


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
