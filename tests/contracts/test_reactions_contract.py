"""Contract of stores for reactions: counts, pauses and exceptions."""

from pathlib import Path

import pytest

from assistant.errors import NotFound
from assistant.types import Entry, Scope, Turn
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, clarification, open_store


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def react(store: Store, entry: Entry, turn: str, kind: str, scope: Scope = ANN) -> None:
    """Record a turn in which the entry helped or hurt; its question is `asked in …`."""
    store.turn_store.record(Turn(turn, "c", scope.person, f"asked in {turn}"), scope)
    store.memory.count(entry.id, kind, turn, scope)


def recalled(store: Store, entry: Entry, scope: Scope = ANN) -> Entry | None:
    return store.memory.entries_by_id([entry.id], scope).get(entry.id)


def test_entry_rests_only_while_paused(store: Store, any_ledger_url: str, tmp_path: Path) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    for number in range(3):
        react(store, entry, f"t{number}", "hurt")
    assert (found := recalled(store, entry)) is not None
    assert (found.hurt, found.resting) == (3, False)
    for refused in (store.memory.pause, store.memory.resume):
        with pytest.raises(NotFound):
            refused(entry.id, BOB)
    for _ in range(2):
        assert store.memory.pause(entry.id, ANN).resting
    assert [listed.resting for listed in store.memory.entries(ANN)] == [True]
    store = open_store(any_ledger_url, str(tmp_path / "after a restart"), None)
    assert (paused := recalled(store, entry)) is not None
    assert paused.resting
    assert not store.memory.resume(entry.id, ANN).resting
    assert store.memory.resume(entry.id, ANN) == recalled(store, entry)


def test_exceptions_are_made_and_taken_back(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    for number in range(3):
        store.turn_store.record(Turn(f"t{number}", f"c{number}", ANN.person, f"asked in t{number}"), ANN)
        for _ in range(2):
            store.memory.except_for(entry.id, f"t{number}", ANN)
    assert store.memory.entry(entry.id, ANN).not_for == ("asked in t0", "asked in t1", "asked in t2")
    assert store.memory.resume(entry.id, ANN, "t1").not_for == ("asked in t0", "asked in t2")
    store.conversations.erase("c0", ANN)
    assert store.memory.entry(entry.id, ANN).not_for == ("asked in t2",)
    with pytest.raises(NotFound):
        store.memory.except_for(entry.id, "t0", ANN)
    assert store.memory.resume(entry.id, ANN).not_for == ()
    assert store.memory.except_for(entry.id, "t2", ANN).not_for == ("asked in t2",)
    assert store.memory.resume(entry.id, ANN).not_for == ()
