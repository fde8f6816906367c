"""Runs deliver all events in order, begin on time, and continue while a page reads them or may return."""

import asyncio
import math
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from itertools import count
from typing import Any

import pytest

from tests.support.threads import in_thread, run_in_thread
from ui.streaming.runs import Admission, Run, SharedStream

LONG = 3600.0
LOOK, LATE, BUSY = 0.001, 0.005, 0.02
Read = Callable[[Run, Iterator[Any]], list[list[int]]]


def read_by_a_thread(run: Run, events: Iterator[Any]) -> list[list[Any]]:
    return list(run.batches(events))


def read_by_a_loop(run: Run, events: Iterator[Any]) -> list[list[Any]]:
    async def read() -> list[list[Any]]:
        return [batch async for batch in run.batches_in_loop(events)]

    return run_in_thread(asyncio.wait_for(read(), 60))


each_reader = pytest.mark.parametrize("read", [read_by_a_thread, read_by_a_loop])


@each_reader
@pytest.mark.parametrize("seconds", [0.0, 0.0005])
def test_events_come_once_and_in_order(read: Read, seconds: float) -> None:
    batches = read(Run(seconds), iter(range(5_000)))
    assert [number for batch in batches for number in batch] == list(range(5_000))


@each_reader
def test_end_and_error_come_at_once_with_the_rest(read: Read) -> None:
    def events(fails: bool) -> Iterator[int]:
        for number in range(100):
            yield number
            time.sleep(0.001)
        if fails:
            raise LookupError

    batches = read(Run(LONG), events(fails=False))
    assert [number for batch in batches for number in batch] == list(range(100))
    assert len(batches) <= 3
    with pytest.raises(LookupError):
        read(Run(LONG), events(fails=True))


@each_reader
def test_stopped_run_ends_and_closes_the_events(read: Read) -> None:
    run, closed = Run(LONG), threading.Event()

    def events() -> Iterator[int]:
        try:
            for number in count():
                yield number
                time.sleep(0.001)
        finally:
            closed.set()

    threading.Timer(0.05, run.stop).start()
    assert len(read(run, events())) <= 1
    assert closed.wait(10)


@asynccontextmanager
async def busy_loop() -> AsyncIterator[None]:
    """Keep the event loop late during the block, as under load."""

    async def compute() -> None:
        while True:
            time.sleep(BUSY)  # blocks the loop on purpose
            await asyncio.sleep(0)

    computing = asyncio.create_task(compute())
    try:
        yield
    finally:
        computing.cancel()


@pytest.mark.promise("answers-start-on-time")
@in_thread
async def test_late_loop_begins_nothing() -> None:
    admission = Admission(LOOK, LATE, longest=math.inf)
    await admission.turn()
    async with busy_loop():
        waiting = asyncio.create_task(admission.turn())
        await asyncio.wait([waiting], timeout=10 * BUSY)
        assert not waiting.done()
    await waiting


@pytest.mark.promise("answers-start-on-time")
@in_thread
async def test_turns_come_in_order_and_always_in_the_end() -> None:
    admission, begun = Admission(LOOK, LATE, longest=2 * BUSY), list[int]()

    async def one(number: int) -> None:
        await admission.turn()
        begun.append(number)

    async with busy_loop():
        waiting = [asyncio.create_task(one(number)) for number in range(6)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        waiting[3].cancel()
        await asyncio.wait(waiting)
    assert begun == [1, 2, 4, 5]


async def read_all(followed: SharedStream[int]) -> list[int]:
    return [update async for update in followed.read()]


@pytest.mark.promise("answers-survive-reload")
@in_thread
async def test_readers_get_the_latest_and_the_error() -> None:
    go_on = asyncio.Event()

    async def updates() -> AsyncGenerator[int, None]:
        yield 1
        yield 2
        await go_on.wait()
        yield 3

    async def failing() -> AsyncGenerator[int, None]:
        yield 1
        raise LookupError

    followed = SharedStream("run", updates())
    async with aclosing(followed.read()) as first:
        while await anext(first) < 2:
            pass
        late = asyncio.create_task(read_all(followed))
        await asyncio.sleep(0)
        go_on.set()
        assert [update async for update in first] == [3]
        assert (await late, await read_all(followed)) == ([2, 3], [3])
    with pytest.raises(LookupError):
        await read_all(SharedStream("run", failing()))


@pytest.mark.promise("answers-survive-reload")
@in_thread
async def test_unread_run_is_closed() -> None:
    closed = asyncio.Event()

    async def updates() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            closed.set()

    followed = SharedStream("run", updates(), seconds=0.01)
    readers = [followed.read() for _ in range(4)]
    for reader in readers:
        assert followed.has_room
        await anext(reader)
    assert not followed.has_room
    for reader in readers:
        assert not closed.is_set()
        await reader.aclose()
    assert await asyncio.wait_for(closed.wait(), 10)
