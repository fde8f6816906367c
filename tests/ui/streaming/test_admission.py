"""Admission control: starts are serialised, wait for the event loop, and never wait forever."""

import asyncio
import math
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.support.threads import run_in_thread
from ui.streaming.admission import Admission
from ui.streaming.runs import Run

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


def test_late_loop_begins_nothing() -> None:
    async def begin() -> None:
        admission = Admission(LOOK, LATE, longest=math.inf)
        await admission.turn()
        async with busy_loop():
            waiting = asyncio.create_task(admission.turn())
            await asyncio.wait([waiting], timeout=10 * BUSY)
            assert not waiting.done()
        await waiting

    run_in_thread(begin())


def test_few_begin_at_once() -> None:
    async def begin() -> None:
        admission = Admission(look=60.0, late=60.0, at_once=3)
        for _ in range(3):
            await asyncio.wait_for(admission.turn(), 10)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(admission.turn(), 0.01)

    run_in_thread(begin())


def test_always_late_loop_begins_in_the_end() -> None:
    async def begin() -> None:
        admission = Admission(LOOK, LATE, longest=2 * BUSY)
        async with busy_loop():
            await asyncio.gather(*(admission.turn() for _ in range(3)))

    run_in_thread(begin())


def test_turns_come_in_order() -> None:
    async def begin() -> list[int]:
        admission, begun = Admission(LOOK, LATE, longest=2 * BUSY), []

        async def one(number: int) -> None:
            await admission.turn()
            begun.append(number)

        await admission.turn()
        async with busy_loop():
            waiting = [asyncio.create_task(one(number)) for number in range(6)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            waiting[3].cancel()
            await asyncio.wait(waiting)
        return begun

    assert run_in_thread(begin()) == [1, 2, 4, 5]


@pytest.mark.parametrize("before", [True, False], ids=["before it waits", "while it waits"])
def test_stopped_run_waits_for_no_turn(before: bool) -> None:
    async def begin() -> None:
        run, given_up = Run(0.0), asyncio.Event()

        async def never() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                given_up.set()

        if before:
            run.stop()
        else:  # in the next iteration of the loop, from another thread, as handlers do
            asyncio.get_running_loop().call_soon(threading.Thread(target=run.stop).start)
        await run.wait_for(never())
        assert run.stopped
        if not before:
            await given_up.wait()

    run_in_thread(asyncio.wait_for(begin(), 60))
