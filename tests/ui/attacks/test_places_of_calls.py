"""Reading a text and practice call the model: they take places among the answers, and end when the client leaves."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from httpx2 import AsyncClient

from tests.support.memory.keys import wait_until
from tests.support.people.page_client import PageClient, address_of
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.faults import slow_first_token
from tests.support.threads import in_thread
from tests.ui.conftest import served_here

pytestmark = pytest.mark.promise("calls-take-places")

PLACES = 8
CALLS: dict[str, Any] = {
    "learn.read": {"text": "My boss is Dana."},
    "practice.practise": {"text": "question,answer\nWhat is a?,b\nWhat is c?,d"},
}


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    with ChatServer(answer=lambda _body: slow_first_token) as server:
        yield server


@pytest.fixture(scope="module")
def url(model: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {"NOTED_MODEL": "openai/x", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none"}
    settings |= {"NOTED_ANSWERS_AT_ONCE": str(PLACES), "NOTED_TURNS_PER_MINUTE": "30"}
    yield from served_here(tmp_path_factory.mktemp("stalled"), settings)


@pytest.mark.parametrize("event", CALLS)
@in_thread
async def test_address_has_few_calls_which_end_when_left(event: str, url: str, model: ChatServer) -> None:
    model.requests.clear()
    pages = [PageClient(url, {"X-Forwarded-For": "203.0.113.7"}).open() for _ in range(12)]
    elsewhere = PageClient(url).open()
    came: list[str] = []
    async with AsyncExitStack() as opened:
        calling = set()
        for page in pages:
            same = AsyncClient(base_url=page.http.base_url, headers=page.http.headers, cookies=page.http.cookies)
            http = await opened.enter_async_context(same)
            calling.add(asyncio.create_task(http.post(address_of(event), json=page.body(CALLS[event]), timeout=60)))
        while len(came) < len(pages) - PLACES // 4:
            done, calling = await asyncio.wait(calling, return_when=asyncio.FIRST_COMPLETED)
            came += [one.result().text for one in done]
        wait_until(lambda: len(model.requests) == PLACES // 4, 60)
        elsewhere.do("sheet.look", {})
        for one in calling:  # those that hold places leave
            one.cancel()
    assert all("Too many people" in answer for answer in came)
    assert len(model.requests) == PLACES // 4
    assert all(request.disconnected.wait(8) for request in model.requests)
    for page in (*pages, elsewhere):
        page.close()
