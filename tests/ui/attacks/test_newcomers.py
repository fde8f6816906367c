"""Known visitors keep their share, however many newcomers their address has."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from assistant import types
from tests.support.people.page_client import PageClient
from tests.support.people.visitors import HERE, is_allowed, visitor
from tests.support.servers.noted_server import serve
from ui.server import rate_limit
from ui.server.rate_limit import RateLimit
from ui.server.sessions import MOST_UNREAD, Unread
from ui.streaming.runs import Runs, TooManyAnswers

pytestmark = pytest.mark.promise("returning-visitors-first", "fair-queue")

ANN = types.Scope("visitor:ann", HERE)
SIGNED_IN = types.Scope("bob")


def test_newcomers_take_no_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    allowance = RateLimit(turns=5, saves=1)
    assert is_allowed(allowance.turn, ANN)
    assert [allowance.knows(one) for one in (ANN, SIGNED_IN)] == [False, True]
    monkeypatch.setattr(rate_limit, "SECONDS", 0.0)
    assert allowance.knows(ANN)
    monkeypatch.setattr(rate_limit, "SECONDS", 10.0)
    flood = sum(is_allowed(allowance.turn, visitor(number)) for number in range(100))
    assert flood == 3 * 5 - 1
    monkeypatch.setattr(rate_limit, "SECONDS", 0.0)
    assert sum(is_allowed(allowance.turn, ANN) for _ in range(10)) == 4


def test_newcomers_leave_places() -> None:
    runs = Runs(most=8, is_known=lambda scope: not scope.address)
    with ExitStack() as going:
        for number in range(6):
            going.enter_context(runs.begin(visitor(number, f"203.0.113.{number}"), "page"))
        with pytest.raises(TooManyAnswers), runs.begin(visitor(9), "page"):
            pass
        for page in ("one", "two"):
            going.enter_context(runs.begin(SIGNED_IN, page))


def test_unread_answers_are_given_up_by_party() -> None:
    unread = Unread()
    assert unread.begin("of ann", ANN.person) is None
    given_up = [unread.begin(f"hash {number}", HERE) for number in range(MOST_UNREAD + 2)]
    assert given_up == [None] * MOST_UNREAD + ["hash 0", "hash 1"]
    unread.read("hash 2")
    assert unread.begin("another", HERE) is None
    others = [unread.begin(f"of {number}", f"party {number}") for number in range(3_000)]
    assert others[-1] is not None
    assert len([one for one in others if one is None]) < 2_000


def test_school_gets_every_answer(tmp_path: Path) -> None:
    with serve(
        tmp_path,
        NOTED_PROXIES="127.0.0.1",
        NOTED_EMBEDDER="none",
        NOTED_ANSWERS_AT_ONCE="400",
        NOTED_TURNS_PER_MINUTE="1000",
    ) as server:
        pages = [PageClient(server.url, {"X-Forwarded-For": HERE}).open() for _ in range(40)]
        with ThreadPoolExecutor(len(pages)) as threads:
            states = list(threads.map(lambda page: page.ask("Hello")["state"], pages))
        for page in pages:
            page.close()
    assert states == ["answered"] * len(pages)
