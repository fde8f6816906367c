"""What every ledger promises about the number of its last event: it is of now, whoever wrote."""

from pathlib import Path

import pytest
from sqlalchemy import delete, select, update

from assistant.errors import StoreError
from assistant.types import Turn
from memory_store.ledger.database.schema import counters, events
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from tests.support.memory.store import ANN, clarification, ledger_memory, small_store, unlike


def test_last_event_is_of_now(any_store: Store, any_ledger_url: str) -> None:
    ledger = any_store.ledger
    any_store.turn_store.record(Turn("t", "c", ANN.person, "asked"), ANN)
    assert ledger.last_event() == ledger.last_change() == 0
    saved = any_store.memory.remember(clarification("q"), ANN)
    change = ledger.last_change()
    assert ledger.last_event() == change > 0
    any_store.memory.count(saved.id, "used", "t", ANN)
    assert ledger.last_event() > change == ledger.last_change()
    other = Ledger(any_ledger_url)
    before = ledger.last_event()
    ledger_memory(other).remember(unlike("of another process"), ANN)
    assert before < ledger.last_event() == other.last_event()
    other.close()
    ledger.close()
    assert ledger.last_event() > before  # a closed ledger opens again


def test_damaged_event_hides_no_later_one(any_store: Store) -> None:
    saved = any_store.memory.remember(clarification("q"), ANN)
    with any_store.ledger.write() as connection:
        connection.execute(update(events).values(sequence=10**9))
    before = any_store.ledger.last_event()
    any_store.memory.count(saved.id, "used", "t", ANN)
    assert before < any_store.ledger.last_event() < 10**9


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
