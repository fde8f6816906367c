"""Daily spending: counted in the ledger before and after each call, within the host's limit."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import pytest
from sqlalchemy import select

from assistant.errors import ModelError, PriceUnknown, SpendUsedUp
from assistant.model_usage import Usage
from assistant.models.remote.streaming import Delta, reserve_spending
from assistant.types import Scope, TurnState
from memory_store.ledger.database.schema import spending
from memory_store.ledger.ledger import Ledger
from memory_store.turns.spending import LedgerSpending
from tests.support.memory.keys import reply_in_background
from tests.support.memory.loop import last
from tests.support.memory.store import ledger_url
from tests.support.servers.chat_server import ChatServer, reply_with_usage
from ui.server.services import Services

# litellm, when it measures a reply.
pytestmark = [
    pytest.mark.promise("daily-spending", "limits-are-sentences"),
    pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning"),
]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
PRICED = "openai/gpt-4o-mini"  # dollars per million tokens: .15 for prompts, .60 for replies
GOOD = "<understanding>a synonym</understanding>\n<answer>fast</answer>"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(ledger_url(tmp_path))
    yield ledger
    ledger.close()


def spent_in(ledger: Ledger) -> dict[str, float]:
    with ledger.read() as connection:
        return {row.day: round(row.dollars, 9) for row in connection.execute(select(spending))}


def test_used_up_spending_waits_for_the_next_day(ledger: Ledger) -> None:
    times = iter([NOON, NOON, NOON, NOON + timedelta(days=1)])
    budget = LedgerSpending(ledger, 1.0, lambda: next(times))
    settle = budget(0.7)
    assert spent_in(ledger) == {"2026-01-05": 0.7}
    with pytest.raises(SpendUsedUp):
        budget(0.4)
    with pytest.raises(SpendUsedUp):  # in another process, or after a restart
        LedgerSpending(ledger, 1.0, lambda: next(times))(0.4)
    budget(0.4)
    settle(0.2)  # for the day on which it started
    assert spent_in(ledger) == {"2026-01-05": 0.2, "2026-01-06": 0.4}


def test_broken_call_settles_what_came() -> None:
    texts, settled, count = ["abc" * 100], list[float](), Mock()
    reserve = Mock(return_value=settled.append)
    with (
        suppress(GeneratorExit),
        reserve_spending(texts, 500, lambda usage: float(usage.reply), reserve, count) as bill,
    ):
        bill.take(Delta("b" * 30, "", "", None))
        raise GeneratorExit
    assert (reserve.mock_calls, settled) == ([call(500.0)], [10.0])
    assert count.mock_calls == [call(Usage(100, 10, told=False, dollars=10.0))]
    with suppress(OSError), reserve_spending(texts, 500, lambda usage: 0.0, None, count):
        raise OSError  # before any output
    assert len(count.mock_calls) == 1
    with pytest.raises(PriceUnknown), reserve_spending(texts, 500, lambda usage: None, reserve, count):
        pass


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer(lambda _body: GOOD, aside=reply_in_background) as server:
        yield server


@pytest.fixture
def services_with(composed: Callable[..., Services], model: ChatServer) -> Callable[..., Any]:
    def named(name: str, **settings: Any) -> Services:
        services = composed({**model.settings, "NOTED_MODEL": name}, **settings)
        services.start()
        return services

    return named


def test_used_up_spending_is_a_sentence(services_with: Callable[..., Any], model: ChatServer) -> None:
    services = services_with(PRICED, spend_per_day=0.9)
    model.replies(reply_with_usage(GOOD, 2_000_000, 1_000_000))
    me = Scope("ann")
    first = last(services.assistant.ask("What is akin to quick?", me))
    refused = last(services.assistant.ask("What is akin to brave?", me))
    assert (refused.state, refused.error) == (TurnState.FAILED, SpendUsedUp().sentence)
    assert len(model.requests) == 1
    list(services.assistant.clarify(first.id, "I meant a synonym", me))
    assert [entry.text for entry in services.assistant.memory.entries(me)] == ["I meant a synonym"]
    restarted = services_with(PRICED, spend_per_day=0.9)
    assert last(restarted.assistant.ask("What is akin to calm?", me)).error == SpendUsedUp().sentence


def test_text_that_looks_like_a_picture_is_counted(services_with: Callable[..., Any], model: ChatServer) -> None:
    services = services_with(PRICED, spend_per_day=0.05)
    content = [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10**6}}]
    runner: Any = services.assistant.runner.model
    model.replies(reply_with_usage(GOOD, 10, 10))
    with suppress(ModelError):
        list(runner.pass_on({"messages": [{"role": "user", "content": content}]}))
    assert len(model.requests) == 1  # a picture is no text
    with pytest.raises(SpendUsedUp):
        list(runner.pass_on({"messages": [{"role": "user", "content": "data: " + "word " * 100_000}]}))


def test_calls_at_once_keep_the_limit(services_with: Callable[..., Any], tmp_path: Path, model: ChatServer) -> None:
    services = services_with(PRICED, spend_per_day=0.05)
    together = threading.Barrier(30)

    def as_long_as_it_may_be(body: dict[str, Any]) -> Any:
        return reply_with_usage(GOOD, len(str(body["messages"])) // 3, body["max_tokens"])

    model.answer = as_long_as_it_may_be

    def ask(number: int) -> TurnState:
        together.wait(30)
        return last(services.assistant.ask("What is akin to quick?", Scope(f"person-{number}"))).state

    with ThreadPoolExecutor(30) as threads:
        states = list(threads.map(ask, range(30)))
    services.close()
    ledger = Ledger(f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    (cost,) = spent_in(ledger).values()
    assert states.count(TurnState.ANSWERED) >= 5
    assert TurnState.FAILED in states
    assert 0.02 < cost <= 0.05
    ledger.close()
