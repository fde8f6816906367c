"""Entries are kept in memory between questions: as the ledger has them, whatever was done to them, and by whom."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlalchemy import update

from assistant.errors import NotedError
from assistant.types import Entry, Key, KeyOrigin, Scope, Turn
from memory_store import kept_entries
from memory_store.erasing import Erasing
from memory_store.memory import LedgerMemory
from memory_store.schema import entries
from memory_store.store import Store
from tests.support.sizes import size
from tests.support.store import ANN, BOB, PLAIN, clarification, share, small_store, unlike

PEOPLE = (ANN, BOB)


class TwoProcesses(RuleBasedStateMachine):
    """Two stores over one ledger, each with entries in memory. Whoever changes something, both know it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.stores = (small_store(self.folder), small_store(self.folder))
        self.entries: list[str] = []
        self.read: dict[Scope, Mapping[str, Entry]] = {person: {} for person in PEOPLE}
        self.number = 0

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.folder)

    @rule(person=st.sampled_from(PEOPLE), by=st.integers(0, 1))
    def remember(self, person: Scope, by: int) -> None:
        self.number += 1
        self.entries.append(self.stores[by].memory.remember(unlike(str(self.number)), person).id)

    @precondition(lambda self: self.entries)
    @rule(
        person=st.sampled_from(PEOPLE),
        which=st.integers(0, 99),
        what=st.sampled_from(["edit", "retract", "forget", "helped", "hurt", "again", "key", "share", "turn"]),
        by=st.integers(0, 1),
    )
    def change(self, person: Scope, which: int, what: str, by: int) -> None:
        store, entry = self.stores[by], self.entries[which % len(self.entries)]
        self.number += 1
        with suppress(NotedError):
            if what == "edit":
                self.entries.append(store.memory.edit(entry, f"I meant {self.number}", person).id)
            elif what == "retract":
                store.memory.retract(entry, person)
            elif what == "forget":
                store.memory.forget(entry, person)
            elif what == "again":
                store.memory.use_again(entry, person)
            elif what == "key":
                store.memory.add_keys(entry, [Key(f"key {self.number}", KeyOrigin.PERSON)], person)
            elif what == "share":
                share(store, entry)
            elif what == "turn":
                Erasing(store.ledger).forget_conversation("c", person)
            else:
                store.journal.record(Turn(f"t{which}", "c", person.person, f"asked {self.number}"), person)
                store.memory.count(entry, what, f"t{which}", person)

    @invariant()
    def both_say_what_the_ledger_says(self) -> None:
        for person in PEOPLE:
            read = LedgerMemory(self.stores[0].ledger, PLAIN).entries_by_id(self.entries, person)
            for store in self.stores:
                kept = {name: entry for name, entry in read.items() if name in self.read[person]}
                assert store.memory.entries_by_id(kept, person) == kept
                assert store.memory.entries_by_id(self.entries, person) == read
            self.read[person] = read


TestTwoProcesses = TwoProcesses.TestCase
TestTwoProcesses.settings = settings(
    max_examples=size(5, 100), stateful_step_count=size(20, 40), suppress_health_check=list(HealthCheck)
)


def _damage(store: Store) -> None:
    """From now on, no entry that is read is whole. No event tells of it."""
    with store.ledger.write() as connection:
        connection.execute(update(entries).values(text="not what was said"))


def test_what_must_be_read_brings_some_more_of_ones_own(store: Store) -> None:
    first, *others = store.memory.remember_all(map(unlike, "abc"), ANN)
    assert store.memory.entries_by_id([first.id], ANN).keys() == {first.id}
    _damage(store)
    assert store.memory.entries_by_id([other.id for other in others], ANN) == {other.id: other for other in others}


def test_the_newest_come_first_and_no_more_than_are_wanted_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_entries, "_AHEAD", 2)
    monkeypatch.setattr(kept_entries, "_MOST_AHEAD", 4)
    saved = [entry.id for entry in store.memory.remember_all(map(unlike, "abcdef"), ANN)]
    for _ in range(3):
        assert store.memory.entries_by_id(["nowhere"], ANN) == {}
    _damage(store)
    assert store.memory.entries_by_id(saved, ANN).keys() == set(saved[2:])


def test_nothing_that_is_shared_is_read_unasked(store: Store) -> None:
    theirs = store.memory.remember(clarification("of everyone"), BOB)
    share(store, theirs.id)
    assert store.memory.entries_by_id(["nowhere"], ANN) == {}
    _damage(store)
    assert store.memory.entries_by_id([theirs.id], ANN) == {}


def test_what_is_there_is_not_read_again(store: Store) -> None:
    assert store.memory.entries_by_id(["nowhere"], ANN) == {}
    first, second = store.memory.remember_all(map(unlike, "ab"), ANN)
    assert store.memory.entries_by_id([first.id], ANN).keys() == {first.id}
    _damage(store)
    assert store.memory.entries_by_id([first.id, second.id], ANN).keys() == {first.id}


def test_what_forgets_all_leaves_all_to_be_read(store: Store) -> None:
    first, second = store.memory.remember_all(map(unlike, "ab"), ANN)
    assert store.memory.entries_by_id([first.id], ANN).keys() == {first.id}
    store.journal.record(Turn("t", "c", ANN.person, "asked"), ANN)
    Erasing(store.ledger).forget_conversation("c", ANN)
    assert store.memory.entries_by_id([second.id], ANN) == {second.id: second}
