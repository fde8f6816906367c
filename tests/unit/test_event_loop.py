from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterable, Iterator
from functools import partial

import pytest

from assistant.event_loop import EventLoopThread, LoopClosedError

IDLE = -1


@pytest.fixture
def loop() -> Iterator[EventLoopThread]:
    loop = EventLoopThread()
    yield loop
    loop.close()


async def count(to: int, produced: list[int]) -> AsyncGenerator[int, None]:
    for number in range(to):
        produced.append(number)
        yield number


async def wait_forever(started: threading.Event, cancelled: threading.Event) -> AsyncGenerator[int, None]:
    yield 1
    try:
        started.set()
        await asyncio.Event().wait()
    finally:
        cancelled.set()


async def fail() -> AsyncGenerator[int, None]:
    yield 1
    raise LookupError("lost")


def values(stream: Iterable[int]) -> list[int]:
    return [value for value in stream if value != IDLE]


def test_values_come_in_order_and_all(loop: EventLoopThread) -> None:
    assert values(loop.stream(partial(count, 1000, []), IDLE)) == list(range(1000))


def test_the_source_runs_only_a_little_ahead_of_its_reader(loop: EventLoopThread) -> None:
    produced: list[int] = []
    stream = loop.stream(partial(count, 10_000, produced), IDLE)
    next(stream)
    loop.run(partial(asyncio.sleep, 0))
    assert len(produced) < 100
    stream.close()


def test_closing_cancels_the_source_where_it_waits(loop: EventLoopThread) -> None:
    started, cancelled = threading.Event(), threading.Event()
    stream = loop.stream(partial(wait_forever, started, cancelled), IDLE)
    next(stream)
    assert started.wait(10)
    stream.close()
    assert cancelled.wait(10)


def test_an_error_of_the_source_reaches_the_reader_after_its_values(loop: EventLoopThread) -> None:
    stream = loop.stream(fail, IDLE)
    assert next(value for value in stream if value != IDLE) == 1
    with pytest.raises(LookupError, match="lost"):
        values(stream)


def test_closing_the_loop_ends_its_streams_with_an_error(loop: EventLoopThread) -> None:
    stream = loop.stream(partial(wait_forever, threading.Event(), threading.Event()), IDLE)
    next(stream)
    loop.close()
    with pytest.raises(LoopClosedError):
        values(stream)


def test_a_reader_who_waits_gets_a_chance_to_stop(loop: EventLoopThread) -> None:
    stream = loop.stream(partial(wait_forever, threading.Event(), threading.Event()), IDLE)
    assert IDLE in [next(stream), next(stream)]
    stream.close()


def test_a_closed_loop_starts_again_when_it_is_used(loop: EventLoopThread) -> None:
    loop.close()
    assert values(loop.stream(partial(count, 3, []), IDLE)) == [0, 1, 2]
