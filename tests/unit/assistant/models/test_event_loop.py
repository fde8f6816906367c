"""The loop on which models are called; for models themselves see test_remote_cancel.py and test_remote_faults.py."""

from collections.abc import AsyncGenerator, Iterator

import pytest

from assistant.models.remote.event_loop import EventLoopThread


@pytest.fixture
def loop() -> Iterator[EventLoopThread]:
    loop = EventLoopThread()
    yield loop
    loop.close()


async def letters() -> AsyncGenerator[str, None]:
    for letter in "abc":
        yield letter


def test_a_closed_loop_starts_again_when_it_is_used(loop: EventLoopThread) -> None:
    loop.close()
    assert "".join(loop.stream(letters)) == "abc"
