"""Rate limits hold for clients that drop the cookie, and leave others alone."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.support.people.page_client import PageClient, Refused
from tests.support.people.visitors import HERE
from tests.ui.conftest import served_here

pytestmark = pytest.mark.promise("limits-by-address", "limits-are-sentences")


@pytest.fixture(scope="module")
def limited_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    limits = {"NOTED_TURNS_PER_MINUTE": "3", "NOTED_API": "everyone"}
    yield from served_here(tmp_path_factory.mktemp("limited"), limits)


@pytest.mark.parametrize(("forwarded", "answered"), [(HERE, 9), (None, 15)], ids=["one address", "many"])
def test_limits_go_by_the_forwarded_address(forwarded: str | None, answered: int, limited_url: str) -> None:
    refusals = []
    for _ in range(15):
        page = PageClient(limited_url, {"X-Forwarded-For": f"192.0.2.7, {forwarded}"} if forwarded else None).open()
        try:
            page.ask("What is akin to quick?")
        except Refused as refusal:
            refusals.append(str(refusal))
        page.close()
    assert len(refusals) == 15 - answered
    assert all("minute" in refusal for refusal in refusals)


def test_programs_keep_to_the_limits_of_their_address(limited_url: str) -> None:
    headers = {"X-Forwarded-For": "203.0.113.4", "Accept": "application/json, text/event-stream"}
    asked = {"question": "What is akin to quick?"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": asked}}
    sent = [("api/ask", asked), ("mcp", call)] * 6
    answers = [httpx2.post(limited_url + path, json=body, headers=headers, timeout=60).text for path, body in sent]
    assert sum("a minute" in answer for answer in answers) == 3
