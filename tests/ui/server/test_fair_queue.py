"""Fair queueing: clients that send few requests do not wait for those that send many."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import httpx2
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.support.people.visitors import HERE
from tests.support.threads import run_in_thread
from ui.server.bounds.fair_queue import FairQueue, FairQueueMiddleware, RequestHistory, TooManyWait
from ui.server.identity import LOCAL_PERSON, PERSON, VISITOR, Visitors
from ui.streaming.admission import Admission

pytestmark = pytest.mark.promise("fair-queue")

BEFORE = f"{VISITOR}{0:032x}"  # got the cookie long ago


@asynccontextmanager
async def full(queue: FairQueue) -> AsyncIterator[Callable[[], None]]:
    """Take all places of a queue of two, during the block or until the yielded function is called."""
    going = asyncio.Event()
    for _ in range(5):
        async with queue.place("flood"):
            pass

    async def take() -> None:
        async with queue.place("flood", seconds=60.0):
            await going.wait()

    taken = [asyncio.create_task(take()) for _ in range(2)]
    await asyncio.sleep(0)
    try:
        yield going.set
    finally:
        going.set()
        await asyncio.gather(*taken)


async def come(queue: FairQueue, party: str, order: list[str]) -> None:
    async with queue.place(party):
        order.append(party)


def test_flood_waits_for_itself() -> None:
    async def run() -> None:
        queue = FairQueue(Admission(0.0), few=2.0)
        order: list[str] = []
        async with full(queue) as let_go:
            waiting = [asyncio.create_task(come(queue, "flood", order)) for _ in range(5)]
            await asyncio.sleep(0)
            await come(queue, "quiet", order)
            assert order == ["quiet"]
            let_go()
            await asyncio.gather(*waiting)
        assert order == ["quiet", *["flood"] * 5]

    run_in_thread(run())


def test_free_place_is_for_who_had_fewest() -> None:
    async def run() -> None:
        queue = FairQueue(Admission(0.0), few=1.0)
        order: list[str] = []
        await come(queue, "other", order)
        async with full(queue) as let_go:
            coming = [asyncio.create_task(come(queue, party, order)) for party in ("flood", "flood", "other")]
            await asyncio.sleep(0)
            let_go()
            await asyncio.gather(*coming)
        assert order == ["other", "other", "flood", "flood"]

    run_in_thread(run())


def test_many_of_a_group_wait() -> None:
    async def run() -> None:
        queue = FairQueue(Admission(0.0), few=1.0)
        for number in range(10):
            async with queue.place(f"one {number}", "there"):
                pass
        async with full(queue):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(queue.place("one more", "there").__aenter__(), 0.01)
            await asyncio.wait_for(queue.place("another", "elsewhere").__aenter__(), 10)

    run_in_thread(run())


def test_full_queue_refuses_who_has_most() -> None:
    async def run() -> None:
        queue = FairQueue(Admission(0.0), few=0.0, most_waiting=3)
        order: list[str] = []
        async with full(queue):
            first, second, last = (asyncio.create_task(come(queue, "flood", order)) for _ in range(3))
            await asyncio.sleep(0)
            with pytest.raises(TooManyWait):
                await come(queue, "flood", order)
            quiet = asyncio.create_task(come(queue, "quiet", order))
            with pytest.raises(TooManyWait):
                await last
        await asyncio.gather(first, second, quiet)

    run_in_thread(run())


def test_long_request_holds_no_place() -> None:
    async def run() -> None:
        queue = FairQueue(Admission(0.0), places=1, few=0.0)
        async with AsyncExitStack() as long:
            await long.enter_async_context(queue.place("one", seconds=0.0))
            await asyncio.wait_for(long.enter_async_context(queue.place("two", seconds=60.0)), 10)
        async with queue.place("three", seconds=60.0):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(queue.place("four").__aenter__(), 0.01)

    run_in_thread(run())


def test_cancelled_waiter_is_skipped() -> None:
    async def run() -> None:
        queue = FairQueue(Admission(0.0), few=0.0)
        order: list[str] = []
        async with full(queue) as let_go:
            leaving, staying, called = (asyncio.create_task(come(queue, "flood", order)) for _ in range(3))
            await asyncio.sleep(0)
            leaving.cancel()
            let_go()
            await asyncio.sleep(0)
            called.cancel()
            await asyncio.wait_for(staying, 10)

    run_in_thread(run())


def test_recent_requests_fade() -> None:
    now = 0.0
    recent = RequestHistory(half_life=5.0, clock=lambda: now)
    for _ in range(8):
        recent.add("flood")
    assert recent["flood"] == 8.0
    now = 10.0
    assert recent["flood"] == pytest.approx(2.0)
    now = 1000.0
    assert recent["flood"] == 0.0


def asking(within: ASGIApp) -> Callable[[str], "asyncio.Task[int]"]:
    """Return a function that sends a request as a user through the middleware and returns the status."""
    middleware = FairQueueMiddleware(within)

    async def with_person(connection: Scope, receive: Receive, send: Send) -> None:
        connection[PERSON] = dict(connection["headers"]).get(b"person", b"").decode() or None
        await middleware(connection, receive, send)

    async def ask(person: str) -> int:
        transport = httpx2.ASGITransport(with_person, client=(HERE, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            return (await client.post("/", headers={"person": person})).status_code

    return lambda person: asyncio.create_task(ask(person))


def test_newcomers_of_an_address_are_one_party() -> None:
    async def run() -> None:
        let_go = asyncio.Event()

        async def slow(connection: Scope, receive: Receive, send: Send) -> None:
            if connection[PERSON] not in {"bob", LOCAL_PERSON, BEFORE}:
                await let_go.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        ask = asking(slow)
        flood = [ask(f"{VISITOR}{Visitors(b'').new().partition('.')[0]}") for _ in range(300)]
        while not any(one.done() for one in flood):
            await asyncio.sleep(0)
        assert [await ask(other) for other in ("bob", LOCAL_PERSON, BEFORE)] == [200] * 3
        let_go.set()
        statuses = await asyncio.gather(*flood)
        assert statuses.count(429) + statuses.count(200) == 300
        assert statuses.count(429) == 300 - 200 - 7 - 2

    run_in_thread(run())
