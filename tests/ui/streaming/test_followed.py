"""A run continues while a page reads it or may return, and ends without readers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from tests.support.threads import in_thread, run_in_thread
from ui.streaming.runs import SharedStream

pytestmark = pytest.mark.promise("answers-survive-reload")


async def read(followed: SharedStream[int]) -> list[int]:
    return [update async for update in followed.read()]


@in_thread
async def test_readers_get_the_latest() -> None:
    go_on = asyncio.Event()

    async def updates() -> AsyncGenerator[int, None]:
        yield 1
        yield 2
        await go_on.wait()
        yield 3

    followed = SharedStream("run", updates())
    async with aclosing(followed.read()) as first:
        while await anext(first) < 2:
            pass
        late = asyncio.create_task(read(followed))
        await asyncio.sleep(0)
        go_on.set()
        assert [update async for update in first] == [3]
        assert (await late, await read(followed)) == ([2, 3], [3])


def test_readers_get_the_error() -> None:
    async def failing() -> AsyncGenerator[int, None]:
        yield 1
        raise LookupError

    async def run() -> None:
        with pytest.raises(LookupError):
            await read(SharedStream("run", failing()))

    run_in_thread(run())


def test_unread_run_is_closed() -> None:
    async def left() -> bool:
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
        return await asyncio.wait_for(closed.wait(), 10)

    assert run_in_thread(left())
