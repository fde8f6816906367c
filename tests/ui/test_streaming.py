"""A generator in a thread, read in an event loop: all of it, in order, hardly ahead, and closed."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import aclosing

import pytest

from tests.support.beside import run_beside
from ui.streaming import from_thread


def test_all_comes_in_order() -> None:
    async def read() -> list[int]:
        return [item async for item in from_thread(lambda: (number for number in range(50)))]

    assert run_beside(read()) == list(range(50))


def test_what_the_generator_raises_reaches_the_reader_after_what_came_before() -> None:
    def fails() -> Generator[int, None, None]:
        yield 1
        raise KeyError("lost")

    async def read() -> None:
        items = from_thread(fails)
        assert await anext(items) == 1
        with pytest.raises(KeyError, match="lost"):
            await anext(items)

    run_beside(read())


def test_the_generator_is_hardly_ahead_of_its_reader_and_is_closed_with_it() -> None:
    made: list[int] = []
    closed = threading.Event()

    def counts() -> Generator[int, None, None]:
        try:
            for number in range(1000):
                made.append(number)
                yield number
        finally:
            closed.set()

    async def read_two() -> None:
        async with aclosing(from_thread(counts)) as numbers:
            assert [await anext(numbers), await anext(numbers)] == [0, 1]

    run_beside(read_two())
    assert closed.wait(10)
    assert len(made) <= 4
