"""Inboxes: all of it, in order, together at a pace, and at once when it ends; for a thread and for an event loop."""

import asyncio
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from time import monotonic
from types import FrameType
from typing import Any

import pytest

from tests.support.beside import run_beside
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

    return run_beside(asyncio.wait_for(read(), 60))


each_reader = pytest.mark.parametrize("read", [read_by_a_thread, read_by_a_loop])
Read = Callable[[float, Fill], list[list[int]]]


@each_reader
@pytest.mark.parametrize("seconds", [0.0, 0.0005])
def test_all_comes_once_and_in_order(read: Read, seconds: float) -> None:
    def fill(inbox: Inbox[int]) -> None:
        for number in range(5_000):
            inbox.put(number)
        inbox.close()

    assert [number for batch in read(seconds, fill) for number in batch] == list(range(5_000))


@each_reader
def test_the_end_does_not_wait_until_it_is_due(read: Read) -> None:
    reading = threading.Event()

    def fill(inbox: Inbox[int]) -> None:
        for number in range(10):
            inbox.put(number)
            reading.wait(0.01)
        inbox.close()
        inbox.close()

    assert [number for batch in read(LONG, fill) for number in batch] == list(range(10))


@each_reader
def test_what_is_not_due_waits_and_comes_together(read: Read) -> None:
    def fill(inbox: Inbox[int]) -> None:
        for number in range(100):
            inbox.put(number)
            taking.wait(0.001)
        inbox.close()

    taking = threading.Event()
    assert len(read(LONG, fill)) <= 4


def test_whatever_line_an_interrupt_breaks_off_an_inbox_is_left_whole() -> None:
    lines = 0
    while _is_interrupted_after(lines):
        lines += 1
    assert lines > 3


def _is_interrupted_after(lines: int) -> bool:
    """Read an inbox and interrupt it after so many lines of Python; whether it took so many."""
    inbox: ThreadInbox[int] = ThreadInbox(0.0)
    writer = threading.Timer(0.005, inbox.put, [1])
    left = lines

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal left
        left -= event == "line"
        if left < 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    writer.start()
    sys.settrace(trace)
    try:
        inbox.take()
    except KeyboardInterrupt:
        return True
    else:
        return False
    finally:
        sys.settrace(before)
        writer.join()
        inbox.close()
        list(_taken(inbox))


def test_a_signal_handler_stops_a_reader() -> None:
    inbox: ThreadInbox[int] = ThreadInbox(LONG)
    before = signal.signal(signal.SIGALRM, lambda *_: inbox.close())
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        assert not any(_taken(inbox))
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_inbox_outlives_its_loop() -> None:
    async def leave() -> LoopInbox[int]:
        return LoopInbox(0.0)

    inbox = run_beside(leave())
    inbox.put(1)
    inbox.close()


def test_a_pace_makes_up_for_one_delay_and_no_more() -> None:
    pace = Pace(LONG)
    waits = []
    for _ in range(4):
        waits.append(pace.wait())
        pace.taken()
    assert waits[:2] == [0.0, 0.0]
    assert waits[2] < 60
    assert LONG - 60 < waits[3] <= LONG


def test_where_one_was_taken_late_the_next_has_longer_but_never_much() -> None:
    def wait_after(late: float) -> float:
        pace = Pace(0.1)
        pace.taken(monotonic() - late)
        return pace.wait()

    assert wait_after(0.0) == 0.0
    assert 0.1 < wait_after(0.05) < 0.25
    assert 0.5 < wait_after(60.0) <= 0.6
