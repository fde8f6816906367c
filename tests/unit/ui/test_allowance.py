"""Rate limits for asking and saving, and places of answers: by user and by address."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

import pytest

from assistant.errors import TooOften
from assistant.events import RunState
from assistant.types import Reaction, Scope
from memory_store.store import Store
from tests.support.memory.loop import RIGHT, WRONG, Loop
from tests.support.people.visitors import HERE, visitor
from ui.server import rate_limit
from ui.server.rate_limit import RateLimit
from ui.streaming.runs import Runs, TooManyAnswers

ANN, BOB, LOCAL = Scope("ann"), Scope("bob"), Scope("local")
THERE = "203.0.113.2"
SENTENCE = "You can do this 2 times a minute. Wait a moment, then try again."


def is_allowed(count: Callable[[Scope], None], scope: Scope) -> bool:
    try:
        count(scope)
    except TooOften:
        return False
    return True


@pytest.mark.promise("limits-are-sentences")
def test_each_user_has_an_own_allowance_and_the_local_one_any() -> None:
    allowance = RateLimit(turns=2, saves=1)
    for _ in range(2):
        allowance.turn(ANN)
    with pytest.raises(TooOften) as refused:
        allowance.turn(ANN)
    assert str(refused.value) == SENTENCE
    allowance.turn(BOB)
    allowance.save(ANN)
    assert not is_allowed(allowance.save, ANN)
    assert all(is_allowed(count, LOCAL) for count in (allowance.turn, allowance.save) for _ in range(50))


@pytest.mark.promise("limits-are-sentences")
def test_whatever_costs_an_answer_or_a_save_is_counted(store: Store) -> None:
    assistant = replace(Loop(store, WRONG, *[RIGHT] * 4).assistant, allowance=RateLimit(turns=4, saves=2))
    asked = RunState().after(assistant.ask("What is akin to quick?", ANN)).turn
    list(assistant.clarify(asked.id, "I meant a synonym", ANN))
    list(assistant.retry(asked.id, ANN))
    list(assistant.react(asked.id, Reaction.CONFIRM, ANN))
    with pytest.raises(TooOften):
        list(assistant.clarify(asked.id, "I meant an antonym", ANN))
    with pytest.raises(TooOften):
        list(assistant.ask("What is akin to brave?", ANN))
    list(assistant.ask("What is akin to brave?", BOB))


@pytest.mark.promise("limits-by-address")
def test_fresh_cookies_share_an_allowance() -> None:
    allowance = RateLimit(turns=3, saves=2)
    assert sum(is_allowed(allowance.turn, visitor(number)) for number in range(15)) == 9
    assert sum(is_allowed(allowance.save, visitor(number)) for number in range(15)) == 6
    assert is_allowed(allowance.turn, visitor(99, THERE))
    assert is_allowed(allowance.turn, ANN)


@pytest.mark.promise("limits-by-address")
def test_flood_takes_nothing_from_its_neighbours() -> None:
    allowance = RateLimit(turns=10, saves=1)
    for _ in range(50):
        for flooding in range(4):
            is_allowed(allowance.turn, visitor(flooding))
    assert all(is_allowed(allowance.turn, visitor(honest)) for honest in (10, 11, 12) for _ in range(3))
    assert not is_allowed(allowance.turn, visitor(0))


@pytest.mark.promise("returning-visitors-first")
def test_newcomers_take_no_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    allowance, returning = RateLimit(turns=5, saves=1), Scope("visitor:ann", HERE)
    assert is_allowed(allowance.turn, returning)
    assert [allowance.knows(one) for one in (returning, BOB)] == [False, True]
    monkeypatch.setattr(rate_limit, "SECONDS", 0.0)
    assert allowance.knows(returning)
    monkeypatch.setattr(rate_limit, "SECONDS", 10.0)
    assert sum(is_allowed(allowance.turn, visitor(number)) for number in range(100)) == 3 * 5 - 1
    monkeypatch.setattr(rate_limit, "SECONDS", 0.0)
    assert sum(is_allowed(allowance.turn, returning) for _ in range(10)) == 4


@pytest.mark.promise("limits-by-address", "returning-visitors-first", "calls-take-places")
@pytest.mark.parametrize(("addresses", "begun"), [([HERE], 2), ([f"203.0.113.{number}" for number in range(9)], 6)])
def test_visitors_leave_places(addresses: list[str], begun: int) -> None:
    runs = Runs(most=8, is_known=lambda scope: not scope.address)
    with ExitStack() as going:
        for number in range(begun):
            going.enter_context(runs.begin(visitor(number, addresses[number % len(addresses)]), "page"))
        with pytest.raises(TooManyAnswers), runs.begin(visitor(9, addresses[-1]), "page"):
            pass
        for number in range(8 - begun):
            going.enter_context(runs.begin(Scope(f"ann{number}"), "page"))
        with pytest.raises(TooManyAnswers), runs.begin(visitor(7, THERE), "page"):
            pass
    with runs.begin(visitor(1), "page"):
        pass
