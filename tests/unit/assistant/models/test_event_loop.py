"""The loop on which models are called; for models themselves see test_remote_cancel.py and test_remote_faults.py."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from functools import partial

import pytest

from assistant.models.remote.event_loop import EventLoopThread

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


def test_the_source_runs_only_a_little_ahead_of_its_reader(loop: EventLoopThread) -> None:
    produced: list[int] = []
    stream = loop.stream(partial(count, 10_000, produced), IDLE)
    next(stream)
    loop.begin(partial(asyncio.sleep, 0)).result()
    assert len(produced) < 100
    stream.close()


def test_a_closed_loop_starts_again_when_it_is_used(loop: EventLoopThread) -> None:
    loop.close()
    assert [value for value in loop.stream(partial(count, 3, []), IDLE) if value != IDLE] == [0, 1, 2]
