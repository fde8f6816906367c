"""Rate limits hold for clients that drop the cookie, and leave others alone."""

from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest

from assistant.types import Scope
from tests.support.people.page_client import PageClient, Refused
from tests.support.people.visitors import HERE, is_allowed, visitor
from tests.ui.conftest import served_here
from ui.server.rate_limit import RateLimit
from ui.streaming.runs import Runs, TooManyAnswers

pytestmark = pytest.mark.promise("limits-by-address", "limits-are-sentences")

THERE = "203.0.113.2"


def test_fresh_cookies_share_an_allowance() -> None:
    allowance = RateLimit(turns=3, saves=2)
    assert sum(is_allowed(allowance.turn, visitor(number)) for number in range(15)) == 9
    assert sum(is_allowed(allowance.save, visitor(number)) for number in range(15)) == 6
    assert is_allowed(allowance.turn, visitor(99, THERE))
    assert is_allowed(allowance.turn, Scope("ann"))


def test_flood_takes_nothing_from_its_neighbours() -> None:
    allowance = RateLimit(turns=10, saves=1)
    for _ in range(50):
        for flooding in range(4):
            is_allowed(allowance.turn, visitor(flooding))
    assert all(is_allowed(allowance.turn, visitor(honest)) for honest in (10, 11, 12) for _ in range(3))
    assert not is_allowed(allowance.turn, visitor(0))


def test_address_never_has_all_places() -> None:
    runs = Runs(most=8, is_known=lambda scope: not scope.address)
    with ExitStack() as going:
        for number in range(2):
            going.enter_context(runs.begin(visitor(number), "page"))
        with pytest.raises(TooManyAnswers), runs.begin(visitor(9), "page"):
            pass
        for number in range(6):
            going.enter_context(runs.begin(Scope(f"ann{number}"), "page"))
        with pytest.raises(TooManyAnswers), runs.begin(visitor(7, THERE), "page"):
            pass
    with runs.begin(visitor(1), "page"):
        pass


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
