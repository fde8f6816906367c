"""Entries are kept in memory between questions: as the ledger has them, whatever was done to them, and by whom."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlalchemy import Engine, event, update

from assistant.errors import NotedError, StoreError
from assistant.types import Entry, Key, KeyOrigin, Scope, Turn
from memory_store.custody.erasing import Erasing
from memory_store.ledger.database.schema import entries
from memory_store.memory import entry_cache
from memory_store.store import Store
from tests.support.sizes import size
from tests.support.store import ANN, BOB, PLAIN, clarification, ledger_memory, open_store, share, small_store, unlike

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
            read = ledger_memory(self.stores[0].ledger).entries_by_id(self.entries, person)
            for store in self.stores:
                kept = {name: entry for name, entry in read.items() if name in self.read[person]}
                assert store.memory.entries_by_id(kept, person) == kept
                assert store.memory.entries_by_id(self.entries, person) == read
            self.read[person] = read


TestTwoProcesses = TwoProcesses.TestCase
TestTwoProcesses.settings = settings(
    max_examples=size(3, 100), stateful_step_count=size(15, 40), suppress_health_check=list(HealthCheck)
)


def _damage(store: Store) -> None:
    """From now on, no entry that is read is whole. No event tells of it."""
    with store.ledger.write() as connection:
        connection.execute(update(entries).values(text="not what was said"))


def test_the_newest_come_first_and_no_more_than_are_wanted_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_cache, "_AHEAD", 2)
    monkeypatch.setattr(entry_cache, "_MOST_AHEAD", 4)
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


@pytest.mark.postgres
def test_what_is_taken_back_while_it_is_read_is_not_kept(tmp_path: Path, any_ledger_url: str) -> None:
    store, other = (open_store(any_ledger_url, str(tmp_path / name), None, PLAIN) for name in "ab")
    mine = store.memory.remember(unlike("mine"), ANN)
    theirs = store.memory.remember(unlike("theirs"), BOB)
    store.memory.entries_by_id([theirs.id], BOB)
    asking, meanwhile = threading.get_ident(), []

    def after_the_first_look(_: object, __: object, statement: str, *___: object) -> None:
        if threading.get_ident() != asking or meanwhile or not statement.lstrip().startswith("SELECT"):
            return
        meanwhile.append(threading.Thread(target=store.memory.entries_by_id, args=([theirs.id], BOB)))
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(other.memory.retract, mine.id, ANN).result()
        meanwhile[0].start()
        meanwhile[0].join(0.3)  # or it waits until this reading has looked what is new

    event.listen(Engine, "after_cursor_execute", after_the_first_look)
    try:
        store.memory.entries_by_id([mine.id], ANN)
    finally:
        event.remove(Engine, "after_cursor_execute", after_the_first_look)
    meanwhile[0].join()
    assert store.memory.entries_by_id([mine.id], ANN) == {}


def test_reactions_of_somebody_who_is_forgotten_no_longer_count(store: Store) -> None:
    entry = store.memory.remember(unlike("of everyone"), ANN)
    share(store, entry.id)
    store.memory.count(entry.id, "hurt", "t", BOB)
    assert store.memory.entries_by_id([entry.id], ANN)[entry.id].hurt == 1
    Erasing(store.ledger).forget_all(BOB)
    assert store.memory.entries_by_id([entry.id], ANN)[entry.id].hurt == 0


def test_damage_in_what_is_read_ahead_costs_no_question(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    saved = store.memory.remember_all(map(unlike, map(str, range(30))), ANN)
    for number, entry in enumerate(saved):
        store.journal.record(Turn(f"t{number}", "c", ANN.person, f"asked {number} " + "x" * 2_000), ANN)
        store.memory.count(entry.id, "helped", f"t{number}", ANN)
    store.ledger.wipe()
    store.close()
    file = tmp_path / "ledger.db"
    whole = file.read_bytes()
    page_size = int.from_bytes(whole[16:18], "big")
    for number in range(4, 30, 5):
        page = whole.index(f"asked {number} ".encode()) // page_size * page_size
        file.write_bytes(whole[:page] + b"\xff" * 16 + whole[page + 16 :])
        with closing(small_store(tmp_path)) as store:
            for _ in range(2):
                assert store.memory.entries_by_id([saved[0].id], ANN).keys() == {saved[0].id}
            with pytest.raises(StoreError):  # it is what it was meant to be
                store.memory.entry(saved[number].id, ANN)
