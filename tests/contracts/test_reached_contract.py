"""What every ledger promises about how far its log has come: it counts everything, whoever wrote it, and at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import delete

from assistant.errors import StoreError
from memory_store.ledger import Ledger
from memory_store.memory import LedgerMemory
from memory_store.schema import counters
from memory_store.store import Store, open_store
from tests.support.store import ANN, PLAIN, clarification, unlike


@pytest.fixture
def store(tmp_path: Path, any_ledger_url: str) -> Iterator[Store]:
    store = open_store(any_ledger_url, str(tmp_path / "index"), None, PLAIN)
    yield store
    store.close()


def test_everything_moves_the_sequence_and_only_what_the_index_follows_the_change(store: Store) -> None:
    before = store.ledger.reached()
    saved = store.memory.remember(clarification("q"), ANN)
    after = store.ledger.reached()
    assert after.sequence > before.sequence
    assert after.change > before.change
    store.memory.count(saved.id, "used", "t", ANN)
    used = store.ledger.reached()
    assert used.sequence > after.sequence
    assert used.change == after.change == store.ledger.last_change()


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
    before = store.ledger.reached()
    with store.ledger.write() as connection:
        connection.execute(delete(counters))
    with pytest.raises(StoreError):
        store.ledger.reached()
    with store.ledger.write() as connection:
        connection.execute(counters.insert().values(before._asdict()))
    assert store.ledger.reached() == before
