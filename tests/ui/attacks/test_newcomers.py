"""Whoever was here before keeps what is theirs, however many newcomers their address has, and whatever these do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant import types
from tests.support.beside import run_beside
from tests.support.people.visitors import HERE, may, visitor
from ui.server.bounds import regulars
from ui.server.bounds.pace import PaceMiddleware
from ui.server.identity import PERSON
from ui.server.permissions import PerMinute
from ui.server.sessions import MOST_UNREAD, Unread
from ui.streaming.runs import Runs, TooManyAnswers

ANN = types.Scope("visitor:ann", HERE)
SIGNED_IN = types.Scope("bob")


def test_who_asked_a_while_ago_is_known_and_who_signed_in_always() -> None:
    known = regulars.Regulars()
    assert known.knows(SIGNED_IN)
    known.meet(ANN)
    assert not known.knows(ANN)


def test_newcomers_take_nothing_from_who_was_here_before(monkeypatch: pytest.MonkeyPatch) -> None:
    allowance = PerMinute(turns=5, saves=1)
    assert may(allowance.turn, ANN)
    monkeypatch.setattr(regulars, "SECONDS", 0.0)
    assert allowance.knows(ANN)
    monkeypatch.setattr(regulars, "SECONDS", 10.0)
    flood = sum(may(allowance.turn, visitor(number)) for number in range(100))
    assert flood == 3 * 5 - 1
    monkeypatch.setattr(regulars, "SECONDS", 0.0)
    assert sum(may(allowance.turn, ANN) for _ in range(10)) == 4


def test_newcomers_leave_places_for_who_was_here_before() -> None:
    runs = Runs(most=8, is_known=lambda scope: not scope.address)
    with ExitStack() as going:
        for number in range(6):
            going.enter_context(runs.begin(visitor(number, f"203.0.113.{number}"), "page"))
        with pytest.raises(TooManyAnswers), runs.begin(visitor(9), "page"):
            pass
        for page in ("one", "two"):
            going.enter_context(runs.begin(SIGNED_IN, page))


def test_what_nobody_reads_is_given_up_by_party() -> None:
    unread = Unread()
    assert unread.begin("of ann", ANN.person) is None
    given_up = [unread.begin(f"hash {number}", HERE) for number in range(MOST_UNREAD + 2)]
    assert given_up == [None] * MOST_UNREAD + ["hash 0", "hash 1"]
    unread.read("hash 2")
    assert unread.begin("another", HERE) is None
    others = [unread.begin(f"of {number}", f"party {number}") for number in range(3_000)]
    assert others[-1] is not None
    assert len([one for one in others if one is None]) < 2_000


def paced(within: ASGIApp) -> tuple[PaceMiddleware, Callable[[str], Awaitable[int]]]:
    """Pace around an app, and a request of a person that gives its status."""
    pace = PaceMiddleware(within, is_known=lambda scope: not scope.address)

    async def with_person(connection: Scope, receive: Receive, send: Send) -> None:
        connection[PERSON] = dict(connection["headers"]).get(b"person", b"").decode() or None
        await pace(connection, receive, send)

    async def ask(person: str) -> int:
        transport = httpx.ASGITransport(with_person, client=(HERE, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return (await client.get("/", headers={"person": person})).status_code

    return pace, ask


def test_who_floods_waits_and_is_refused_where_too_many_wait_and_nobody_else_notices() -> None:
    async def flood() -> tuple[list[int], int]:
        _, ask = paced(PlainTextResponse("here"))
        flooding = [asyncio.create_task(ask(f"visitor:{number}")) for number in range(200)]
        await asyncio.sleep(0)
        quiet = await ask("bob")
        return [await one for one in flooding], quiet

    statuses, quiet = run_beside(flood())
    assert quiet == 200
    assert 30 <= statuses.count(200) < 200
    assert statuses.count(429) == 200 - statuses.count(200)
