"""Run a coroutine if the thread may already have an event loop, such as from a browser of another test."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own, and return its result."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, coroutine).result()


def in_thread(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Decorate an asynchronous test so that it runs in a thread of its own."""

    @wraps(test)
    def run(**given: Any) -> None:
        run_in_thread(test(**given))

    return run


def drain(items: AsyncIterator[T]) -> list[T]:
    async def collect() -> list[T]:
        return [item async for item in items]

    return run_in_thread(collect())
