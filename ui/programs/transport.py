"""Run operations for programs in threads, and cancel them when the client disconnects."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from anyio.to_thread import run_sync
from starlette.types import Receive

from assistant.errors import NotFound
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.table import FOR_PROGRAMS
from ui.server.services import Services


async def stream_results(
    services: Services, name: str, scope: Scope, sent: object
) -> AsyncGenerator[dict[str, Any], None]:
    """Call an operation for a user, and yield its result, or its results while it works.

    Each call is counted. A streaming one takes a place among the answers and stops when the client disconnects;
    others pass admission control (`WorkPool`). Raises the errors of the operation; NotFound if programs may not call
    this name.
    """
    operation = FOR_PROGRAMS.get(name)
    if operation is None:
        raise NotFound("operation.unknown")
    call, work = Call(services, scope), services.work
    results = operation.results(call, sent)
    if not operation.streams:
        yield await work.do(lambda _is_left: next(results), scope)
        return
    work.count(scope)
    try:
        while result := await run_sync(next, results, None, abandon_on_cancel=True, limiter=work.threads):
            yield result
    finally:
        call.stop()


async def last_result(services: Services, name: str, scope: Scope, sent: object) -> dict[str, Any]:
    """Return the last of the results, which are cumulative."""
    last: dict[str, Any] = {}
    async for result in stream_results(services, name, scope, sent):
        last = result
    return last


@contextmanager
def cancel_on_disconnect(receive: Receive) -> Iterator[None]:
    """Cancel the block when the client disconnects; the request body must have been read."""

    async def cancel_when_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        work.cancel()

    with anyio.CancelScope() as work:
        watching = asyncio.ensure_future(cancel_when_gone())
        try:
            yield
        finally:
            watching.cancel()
