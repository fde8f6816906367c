"""Inboxes deliver all items in order, batched at a pace, and at once at the end; for threads and event loops."""

import asyncio
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from tests.support.threads import run_in_thread
from ui.streaming.inbox import Inbox, LoopInbox, Pace, ThreadInbox

LONG = 3600.0
Fill = Callable[[Inbox[int]], None]


async def _taken_in_loop(inbox: LoopInbox[int]) -> AsyncIterator[list[int]]:
    is_last = False
    while not is_last:
        batch, is_last = await inbox.take()
        yield batch


def _taken(inbox: ThreadInbox[int]) -> Iterator[list[int]]:
    is_last = False
    while not is_last:
        batch, is_last = inbox.take()
        yield batch


def read_by_a_thread(seconds: float, fill: Fill) -> list[list[int]]:
    inbox: ThreadInbox[int] = ThreadInbox(seconds)
    writer = threading.Thread(target=fill, args=(inbox,))
    writer.start()
    batches = list(_taken(inbox))
    writer.join()
    return batches


def read_by_a_loop(seconds: float, fill: Fill) -> list[list[int]]:
    async def read() -> list[list[int]]:
        inbox: LoopInbox[int] = LoopInbox(seconds)
        writer = threading.Thread(target=fill, args=(inbox,))
        writer.start()
        batches = [batch async for batch in _taken_in_loop(inbox)]
        writer.join()
        return batches

    return run_in_thread(asyncio.wait_for(read(), 60))


each_reader = pytest.mark.parametrize("read", [read_by_a_thread, read_by_a_loop])
Read = Callable[[float, Fill], list[list[int]]]


@each_reader
@pytest.mark.parametrize("seconds", [0.0, 0.0005])
def test_items_come_once_and_in_order(read: Read, seconds: float) -> None:
    def fill(inbox: Inbox[int]) -> None:
        for number in range(5_000):
            inbox.put(number)
        inbox.close()

    assert [number for batch in read(seconds, fill) for number in batch] == list(range(5_000))


@each_reader
def test_end_does_not_wait_and_the_rest_comes_together(read: Read) -> None:
    def fill(inbox: Inbox[int]) -> None:
        for number in range(100):
            inbox.put(number)
            time.sleep(0.001)
        inbox.close()
        inbox.close()

    batches = read(LONG, fill)
    assert [number for batch in batches for number in batch] == list(range(100))
    assert len(batches) <= 4


def test_signal_handler_stops_a_reader() -> None:
    inbox: ThreadInbox[int] = ThreadInbox(LONG)
    before = signal.signal(signal.SIGALRM, lambda *_: inbox.close())
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        assert not any(_taken(inbox))
    finally:
        signal.signal(signal.SIGALRM, before)


def test_inbox_outlives_its_loop() -> None:
    async def leave() -> LoopInbox[int]:
        return LoopInbox(0.0)

    inbox = run_in_thread(leave())
    inbox.put(1)
    inbox.close()


def test_pace_makes_up_for_one_delay() -> None:
    pace = Pace(LONG)
    waits = []
    for _ in range(4):
        waits.append(pace.wait())
        pace.taken()
    assert waits[:2] == [0.0, 0.0]
    assert waits[2] < 60
    assert LONG - 60 < waits[3] <= LONG
