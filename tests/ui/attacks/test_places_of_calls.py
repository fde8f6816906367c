"""A text that is read and a practice call the model: they take places as answers do, and end where one leaves."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import httpx
import pytest

from tests.support.people.page_client import PREDICT, PageClient
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.faults import slow_first_token
from tests.ui.conftest import served_here

PLACES = 8
CALLS: dict[str, Any] = {
    "learn.read": {"sentences": ["My boss is Dana."]},
    "practice.practise": {"text": "What is a?,b\nWhat is c?,d"},
}


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer(answer=lambda _body: slow_first_token) as server:
        yield server


@pytest.fixture
def url(model: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {"NOTED_MODEL": "openai/x", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none"}
    settings |= {"NOTED_ANSWERS_AT_ONCE": str(PLACES), "NOTED_TURNS_PER_MINUTE": "30"}
    yield from served_here(tmp_path_factory.mktemp("stalled"), settings)


def sent(page: PageClient, event: str) -> str:
    """What comes of a call within some seconds; nothing where it stalls, and the page is left then."""
    http = page.http
    with closing(httpx.Client(base_url=http.base_url, headers=http.headers, cookies=http.cookies)) as left:
        try:
            return left.post(PREDICT, json=page.body(event, CALLS[event]), timeout=8).text
        except httpx.ReadTimeout:
            return ""


@pytest.mark.parametrize("event", CALLS)
def test_of_one_address_few_call_at_once_and_end_where_the_page_is_left(
    event: str, url: str, model: ChatServer
) -> None:
    pages = [PageClient(url, {"X-Forwarded-For": "203.0.113.7"}).open() for _ in range(12)]
    elsewhere = PageClient(url).open()
    with ThreadPoolExecutor(len(pages)) as calling:
        came = [calling.submit(sent, page, event) for page in pages]
        time.sleep(3)
        began = time.monotonic()
        elsewhere.do("sheet.look", {})
        assert time.monotonic() - began < 2
        answers = [one.result() for one in came]
    assert len(model.requests) == PLACES // 4
    assert sum("Too many people" in answer for answer in answers) == len(pages) - PLACES // 4
    assert all(request.disconnected.wait(8) for request in model.requests)
    for page in (*pages, elsewhere):
        page.close()
