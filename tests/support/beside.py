"""Running a coroutine where the thread may have an event loop already, as a browser of another test leaves one."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_beside(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns, run in a thread of its own."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, coroutine).result()


def drained(items: AsyncIterator[T]) -> list[T]:
    async def drain() -> list[T]:
        return [item async for item in items]

    return run_beside(drain())
