"""What every ledger promises about the numbers that each question asks for: they are of now, whoever wrote."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import delete, select, update

from assistant.errors import StoreError
from assistant.types import Turn
from memory_store.ledger.database.schema import counters, events
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from tests.support.memory.store import ANN, clarification, ledger_memory, small_store, unlike


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def last_event(store: Store) -> int:
    return store.ledger.last_event()


def test_every_event_counts_and_of_what_the_index_follows_the_last_is_told(store: Store) -> None:
    store.turn_store.record(Turn("t", "c", ANN.person, "asked"), ANN)
    assert last_event(store) == store.ledger.last_change() == 0
    saved = store.memory.remember(clarification("q"), ANN)
    change = store.ledger.last_change()
    assert last_event(store) == change > 0
    store.memory.count(saved.id, "used", "t", ANN)
    assert last_event(store) > change == store.ledger.last_change()


def test_a_damaged_number_of_an_event_does_not_hide_later_ones(store: Store) -> None:
    saved = store.memory.remember(clarification("q"), ANN)
    with store.ledger.write() as connection:
        connection.execute(update(events).values(sequence=10**9))
    before = last_event(store)
    store.memory.count(saved.id, "used", "t", ANN)
    assert before < last_event(store) < 10**9


def test_what_another_one_writes_is_seen_at_once(store: Store, any_ledger_url: str) -> None:
    other = Ledger(any_ledger_url)
    for number in range(3):
        before = last_event(store)
        ledger_memory(other).remember(unlike(str(number)), ANN)
        assert before < last_event(store) == other.last_event()
    other.close()


def test_many_may_ask_at_once_and_while_somebody_writes(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(last_event, store) for _ in range(40)]
        store.memory.remember(clarification("q"), ANN)
        asked += [threads.submit(last_event, store) for _ in range(40)]
    seen = [answer.result() for answer in asked]
    assert max(seen[:40]) <= min(seen[40:]) == last_event(store)


def test_a_ledger_that_was_closed_can_be_asked_again(store: Store) -> None:
    before = last_event(store)
    store.ledger.close()
    assert last_event(store) == before
    store.ledger.close()
    store.ledger.close()


@pytest.mark.parametrize("rows", [0, 2])
def test_wrong_number_of_counters_is_a_sentence(tmp_path: Path, rows: int) -> None:
    """On SQLite alone: PostgreSQL guards its own tables."""
    store = small_store(tmp_path)
    saved = store.memory.remember(clarification("q"), ANN)
    with store.ledger.write() as connection:
        row = connection.execute(select(counters)).mappings().one()
        connection.execute(delete(counters))
        for _ in range(rows):
            connection.execute(counters.insert().values(row))
    with pytest.raises(StoreError):
        store.ledger.last_change()
    assert store.memory.entries_by_id([saved.id], ANN).keys() == {saved.id}
