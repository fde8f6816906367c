"""A run delivers all events in order, batched at a pace, and at once at the end; in threads and event loops."""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.support.threads import run_in_thread
from ui.streaming.runs import Run

LONG = 3600.0
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
def test_end_does_not_wait_and_the_rest_comes_together(read: Read) -> None:
    def events() -> Iterator[int]:
        for number in range(100):
            yield number
            time.sleep(0.001)

    batches = read(Run(LONG), events())
    assert [number for batch in batches for number in batch] == list(range(100))
    assert len(batches) <= 3


@each_reader
def test_error_comes_after_the_events(read: Read) -> None:
    def events() -> Iterator[int]:
        yield 1
        raise LookupError

    with pytest.raises(LookupError):
        read(Run(), events())


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


def test_signal_handler_stops_a_reader() -> None:
    run, go_on = Run(LONG), threading.Event()

    def events() -> Iterator[Any]:
        go_on.wait(60)
        yield 1

    before = signal.signal(signal.SIGALRM, lambda *_: run.stop())
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        assert not any(run.batches(events()))
    finally:
        signal.signal(signal.SIGALRM, before)
        go_on.set()
