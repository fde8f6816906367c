"""What every ledger promises about how far its log has come: it counts everything, whoever wrote it, and at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import delete, select, update

from assistant.errors import StoreError
from assistant.types import Turn
from memory_store.ledger import Ledger
from memory_store.memory import LedgerMemory
from memory_store.schema import counters, events
from memory_store.store import Store, open_store
from tests.support.store import ANN, PLAIN, clarification, unlike


@pytest.fixture
def store(tmp_path: Path, any_ledger_url: str) -> Iterator[Store]:
    store = open_store(any_ledger_url, str(tmp_path / "index"), None, PLAIN)
    yield store
    store.close()


def test_before_the_first_event_there_is_none(store: Store) -> None:
    assert store.ledger.reached() == (0, 0)


def test_every_event_counts_and_of_what_the_index_follows_the_last_is_told(store: Store) -> None:
    saved = store.memory.remember(clarification("q"), ANN)
    after = store.ledger.reached()
    assert after.event == after.change > 0
    store.memory.count(saved.id, "used", "t", ANN)
    used = store.ledger.reached()
    assert used.event > after.event
    assert used.change == after.change == store.ledger.last_change()


def test_a_turn_alone_is_no_event(store: Store) -> None:
    store.memory.remember(clarification("q"), ANN)
    before = store.ledger.reached()
    store.journal.record(Turn("t", "c", ANN.person, "asked"), ANN)
    assert store.ledger.reached() == before


def test_a_damaged_number_of_an_event_does_not_hide_later_ones(store: Store) -> None:
    saved = store.memory.remember(clarification("q"), ANN)
    with store.ledger.write() as connection:
        connection.execute(update(events).values(sequence=10**9))
    before = store.ledger.reached()
    store.memory.count(saved.id, "used", "t", ANN)
    assert before.event < store.ledger.reached().event < 10**9


def test_what_another_one_writes_is_seen_at_once(store: Store, any_ledger_url: str) -> None:
    other = Ledger(any_ledger_url)
    for number in range(3):
        before = store.ledger.reached()
        LedgerMemory(other, PLAIN).remember(unlike(str(number)), ANN)
        assert store.ledger.reached() > before
        assert store.ledger.reached() == other.reached()
    other.close()


def test_many_may_look_at_once_and_while_somebody_writes(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        looks = [threads.submit(store.ledger.reached) for _ in range(40)]
        store.memory.remember(clarification("q"), ANN)
        looks += [threads.submit(store.ledger.reached) for _ in range(40)]
    seen = [look.result() for look in looks]
    assert max(seen[:40]) <= min(seen[40:]) == store.ledger.reached()


def test_a_ledger_that_was_closed_can_be_asked_again(store: Store) -> None:
    before = store.ledger.reached()
    store.ledger.close()
    assert store.ledger.reached() == before
    store.ledger.close()
    store.ledger.close()


def test_numbers_that_are_lost_are_a_plain_sentence_and_found_again(store: Store) -> None:
    store.memory.remember(clarification("q"), ANN)
    before = store.ledger.reached()
    with store.ledger.write() as connection:
        sequence = connection.execute(select(counters.c.sequence)).scalar_one()
        connection.execute(delete(counters))
    with pytest.raises(StoreError):
        store.ledger.reached()
    with store.ledger.write() as connection:
        connection.execute(counters.insert().values(sequence=sequence, change=before.change))
    assert store.ledger.reached() == before
