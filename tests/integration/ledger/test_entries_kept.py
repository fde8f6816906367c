"""Entries are kept in memory between questions: as the ledger has them, whatever was done to them, and by whom."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, update

from memory_store.ledger.database.schema import entries
from memory_store.maintenance.erasing import Erasing
from memory_store.memory import entry_cache
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, PLAIN, clarification, open_store, share, unlike


def _damage(store: Store) -> None:
    """From now on, no entry that is read is whole. No event tells of it."""
    with store.ledger.write() as connection:
        connection.execute(update(entries).values(body={"text": "not what was said"}))


@pytest.mark.parametrize(("names", "asked", "kept"), [("abcd", 1, "cd"), ("abcd", 3, "abcd"), ("abcde", 3, "")])
def test_the_newest_come_first_and_none_where_not_all_would_be_kept(
    names: str, asked: int, kept: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_cache, "_AHEAD", 2)
    monkeypatch.setattr(entry_cache, "_MOST_AHEAD", 4)
    saved = [entry.id for entry in store.memory.remember_all(map(unlike, names), ANN)]
    for _ in range(asked):
        assert store.memory.entries_by_id(["nowhere"], ANN) == {}
    _damage(store)
    assert store.memory.entries_by_id(saved, ANN).keys() == {saved[names.index(name)] for name in kept}


def test_nothing_that_is_shared_is_read_unasked(store: Store) -> None:
    theirs = store.memory.remember(clarification("of everyone"), BOB)
    share(store, theirs.id)
    assert store.memory.entries_by_id(["nowhere"], ANN) == {}
    _damage(store)
    assert store.memory.entries_by_id([theirs.id], ANN) == {}


def test_what_is_taken_back_while_it_is_read_is_not_kept(tmp_path: Path, any_ledger_url: str) -> None:
    store, other = (open_store(any_ledger_url, str(tmp_path / name), None, PLAIN) for name in "ab")
    mine = store.memory.remember(unlike("mine"), ANN)
    theirs = store.memory.remember(unlike("theirs"), BOB)
    store.memory.entries_by_id([theirs.id], BOB)
    asking, meanwhile = threading.get_ident(), list[threading.Thread]()

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
