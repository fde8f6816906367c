"""Admission control: starts are serialised, wait for the event loop, and never wait forever."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.support.threads import in_thread, run_in_thread
from ui.streaming.runs import Admission

pytestmark = pytest.mark.promise("answers-start-on-time")

LOOK, LATE, BUSY = 0.001, 0.005, 0.02


@asynccontextmanager
async def busy_loop() -> AsyncIterator[None]:
    """Keep the event loop late during the block, as under load."""
    now = asyncio.get_running_loop().time

    async def compute() -> None:
        while True:
            until = now() + BUSY
            while now() < until:
                pass
            await asyncio.sleep(0)

    computing = asyncio.create_task(compute())
    try:
        yield
    finally:
        computing.cancel()


@in_thread
async def test_late_loop_begins_nothing() -> None:
    admission = Admission(LOOK, LATE, longest=math.inf)
    await admission.turn()
    async with busy_loop():
        waiting = asyncio.create_task(admission.turn())
        await asyncio.wait([waiting], timeout=10 * BUSY)
        assert not waiting.done()
    await waiting


def test_turns_come_in_order_and_always_in_the_end() -> None:
    async def begin() -> list[int]:
        admission, begun = Admission(LOOK, LATE, longest=2 * BUSY), []

        async def one(number: int) -> None:
            await admission.turn()
            begun.append(number)

        async with busy_loop():
            waiting = [asyncio.create_task(one(number)) for number in range(6)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            waiting[3].cancel()
            await asyncio.wait(waiting)
        return begun

    assert run_in_thread(begin()) == [1, 2, 4, 5]
