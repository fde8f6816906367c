"""Fair queueing: clients that send few requests do not wait for those that send many."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.support.people.api_client import ApiClient, token_for
from tests.support.people.page_client import PageClient, address_of
from tests.support.people.visitors import HERE
from tests.support.threads import in_thread
from ui.server.fair_queue import FairQueue, FairQueueMiddleware
from ui.server.identity import LOCAL_PERSON, PERSON, VISITOR, Visitors
from ui.streaming.runs import TooManyAnswers

pytestmark = pytest.mark.promise("fair-queue")

BEFORE = f"{VISITOR}{0:032x}"  # got the cookie long ago


@asynccontextmanager
async def taken(queue: FairQueue, *parties: str, group: str = "") -> AsyncIterator[None]:
    """Hold a place of each party during the block."""
    async with AsyncExitStack() as places:
        for party in parties:
            await asyncio.wait_for(places.enter_async_context(queue.place(party, group, seconds=60.0)), 10)
        yield


async def come(queue: FairQueue, party: str, order: list[str], group: str = "") -> None:
    async with queue.place(party, group):
        order.append(party)


@in_thread
async def test_flood_waits_for_itself() -> None:
    queue, order = FairQueue(places=2), list[str]()
    async with taken(queue, "flood", "flood"):
        waiting = [asyncio.create_task(come(queue, "flood", order)) for _ in range(5)]
        await asyncio.sleep(0)
        await come(queue, "quiet", order)
        assert order == ["quiet"]
    await asyncio.gather(*waiting)
    assert order == ["quiet", *["flood"] * 5]


@in_thread
async def test_many_of_a_group_wait() -> None:
    queue, order = FairQueue(places=1), list[str]()
    async with taken(queue, *map(str, range(10)), group="there"):
        waiting = asyncio.create_task(come(queue, "one more", order, "there"))
        await asyncio.wait_for(come(queue, "another", order, "elsewhere"), 10)
        assert order == ["another"]
    await waiting


@in_thread
async def test_full_queue_refuses_its_party_and_skips_who_left() -> None:
    queue, order = FairQueue(places=1, most_waiting=2), list[str]()
    async with taken(queue, "flood"):
        leaving, staying = (asyncio.create_task(come(queue, "flood", order)) for _ in range(2))
        await asyncio.sleep(0)
        with pytest.raises(TooManyAnswers):
            await come(queue, "flood", order)
        await come(queue, "quiet", order)
        leaving.cancel()
    await asyncio.wait_for(staying, 10)
    assert (leaving.cancelled(), order) == (True, ["quiet", "flood"])


@in_thread
async def test_long_request_holds_no_place() -> None:
    queue = FairQueue(places=1)
    async with queue.place("one", seconds=0.0), taken(queue, "one"):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(queue.place("one").__aenter__(), 0.01)


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


@in_thread
async def test_newcomers_of_an_address_are_one_party() -> None:
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
    assert (statuses.count(429), statuses.count(200)) == (300 - 200 - 4, 200 + 4)


def test_page_and_programs_wait_in_the_queue(
    embedded_url: str, embedded_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_full(*_: object, **__: object) -> None:
        raise TooManyAnswers

    monkeypatch.setattr(FairQueue, "place", is_full)
    page = PageClient(embedded_url)
    with page.http, ApiClient(embedded_url, token_for("ann who waits", embedded_home)) as program:
        answers = [page.http.get("/"), page.http.post(address_of("memory.search"), json=page.body({}))]
        answers += [program.post("list"), program.http.get("/v1/models")]
    assert [(answer.status_code, answer.text[:17]) for answer in answers] == [(429, "Too many requests")] * 4
