"""The index against the ledger: whatever happened, both know the same keys, and of the table its newest version."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Event, Timer
from time import time_ns
from typing import TYPE_CHECKING, Any, cast

import lancedb
import pytest

from assistant.types import Question, Scope
from memory_store.index import index, indexer
from memory_store.index import projection as index_content
from memory_store.index import table as tables
from memory_store.index.index import IndexUnavailable
from memory_store.index.table import NewestVersion, connect, make_table
from memory_store.language.terms import Floats
from memory_store.recall.recall import HybridRecall
from memory_store.store import Store
from tests.support.memory.store import (
    ANN,
    BOB,
    PLAIN,
    LetterPairs,
    asked,
    assert_same_keys,
    clarification,
    held_by_another_process,
    indexed,
    recall_on,
    small_store,
    unlike,
)

if TYPE_CHECKING:
    from lancedb.table import LanceTable


class Slow(LetterPairs):
    """An embedder that waits until it may go on."""

    def __init__(self, go_on: Event) -> None:
        super().__init__()
        self._go_on = go_on

    def encode(self, texts: Sequence[str]) -> Floats:
        assert self._go_on.wait(SECONDS)
        return super().encode(texts)


QUICK = "What is akin to quick?"
PEOPLE = (ANN, BOB, Scope('अनु \\ " ;'))
SECONDS = 60


@pytest.fixture
def store(tmp_path: Path, embedder: LetterPairs) -> Store:
    return small_store(tmp_path, embedder)


def test_before_it_is_open_searches_say_so_and_the_ledger_answers(store: Store) -> None:
    store.memory.remember(clarification("What is AKIN?"), ANN)
    assert not store.indexer.wait_until_current(timeout=0)
    with pytest.raises(IndexUnavailable):
        store.index.matrices(asked("akin"), ANN)
    texts = ["what is akin?", "what is akin?. i meant a synonym"]
    assert [key.normalised for key in store.memory.keys(ANN)] == texts
    assert found(store, "akin") == ["What is AKIN?"]


def test_a_table_without_an_index_of_owners_gets_one(store: Store, tmp_path: Path) -> None:
    store.memory.remember(clarification(QUICK), ANN)
    store.indexer.catch_up()
    store.close()
    (folder,) = (tmp_path / "index").glob("*.lance")
    table = connect(str(tmp_path / "index")).open_table(folder.stem)
    table.drop_index("owner_idx")
    again = small_store(tmp_path, LetterPairs())
    again.indexer.catch_up()
    assert "owner_idx" in {index.name for index in table.list_indices()}
    assert QUICK in {row.text for row in indexed(again.index, ANN)}


def test_another_embedder_gets_an_index_of_its_own(tmp_path: Path) -> None:
    for embedder in (LetterPairs(), None, LetterPairs()):
        store = small_store(tmp_path, embedder)
        store.memory.remember(clarification("q"), ANN)
        store.indexer.catch_up()
        assert_same_keys(store, *PEOPLE)
        assert len(list((tmp_path / "index").glob("*.lance"))) == 1
        store.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_LOCK_SECONDS", 0.2)


def found(store: Store, question: str) -> list[str]:
    return [candidate.entry.question for candidate in recall_on(store)(question, ANN)]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("in_background", [True, False])
def test_an_index_that_another_process_holds_is_never_waited_for(tmp_path: Path, in_background: bool) -> None:
    store = small_store(tmp_path, LetterPairs())
    store.memory.remember(clarification("What is akin to quick?"), ANN)
    store.indexer.catch_up()
    if in_background:
        store.start()
    with held_by_another_process(tmp_path):
        store.memory.remember(clarification("What is akin to slow?", "an antonym"), ANN)
        with pytest.raises(IndexUnavailable):
            store.indexer.catch_up()
        assert not store.indexer.wait_until_current(SECONDS)
        assert "What is akin to slow?" in found(store, "What is akin to slow?")
        with pytest.raises(IndexUnavailable):
            store.indexer.rebuild()
        store.close()
    store = small_store(tmp_path, LetterPairs())
    store.indexer.catch_up()
    assert store.indexer.wait_until_current(SECONDS)
    assert_same_keys(store, *PEOPLE)


@pytest.mark.parametrize("is_there", [True, False])
def test_an_index_is_waited_for_while_it_is_opened_and_not_while_it_is_made(
    tmp_path: Path, is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, look_through = Event(), tables.look_through
    embedder = Slow(go_on)
    store = small_store(tmp_path, embedder)
    store.memory.remember(clarification(QUICK), ANN)
    if is_there:
        go_on.set()
        store.indexer.catch_up()
        go_on.clear()
    store.close()

    def slowly(*args: Any) -> None:
        assert go_on.wait(SECONDS)
        look_through(*args)

    monkeypatch.setattr(tables, "look_through", slowly)
    store = small_store(tmp_path, embedder)
    store.start()
    begun = Timer(2.0, go_on.set)
    begun.start()
    assert store.indexer.wait_until_current(0.5) is is_there
    assert go_on.is_set() is is_there
    begun.join()
    store.close()


def test_what_the_ledger_said_is_let_go_of_once_the_index_answers(store: Store) -> None:
    store.memory.remember(clarification(QUICK), ANN)
    is_current = False
    recall = HybridRecall(store.index, store.memory, PLAIN, wait_until_current=lambda: is_current)
    assert recall(Question("akin"), ANN)
    assert recall._unindexed._held
    store.indexer.catch_up()
    is_current = True
    assert recall(Question("akin"), ANN)
    assert not recall._unindexed._held


def test_what_was_filled_keeps_nothing_of_the_way_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_content, "_BATCH", 1)  # each makes a version, with files of its own
    for number in range(5):
        store.memory.remember(clarification(f"question {number}"), ANN)
    store.indexer.rebuild()
    assert len(list((tmp_path / "index").glob("*.lance/data/*"))) == 1
    store.index.rewrite()
    assert len(list((tmp_path / "index").glob("*.lance/data/*"))) == 1
    assert_same_keys(store, *PEOPLE)


def test_what_tidying_replaced_is_removed_once_no_search_reads_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_MOST_FRAGMENTS", 4)

    def save_and_follow(times: int) -> None:
        for _ in range(times):
            store.memory.remember(unlike(str(store.ledger.last_change())), ANN)
            store.indexer.catch_up()

    def bytes_of_rows() -> int:
        return sum(path.stat().st_size for path in (tmp_path / "index").glob("*.lance/data/*"))

    save_and_follow(12)
    at_once = bytes_of_rows()
    store.indexer.catch_up()  # somebody may still read what was replaced just now
    assert bytes_of_rows() == at_once
    monkeypatch.setattr(index_content, "_KEEP_VERSIONS", timedelta(milliseconds=1))
    for _ in range(index_content._TIDYINGS):
        store.indexer.catch_up()
    left = bytes_of_rows()
    assert left < at_once / 2
    store.index.rewrite()
    assert left <= 1.2 * bytes_of_rows()
    assert_same_keys(store, *PEOPLE)


NAME = "keys"
LONG_AGO = 10**18


@pytest.fixture
def table(tmp_path: Path) -> LanceTable:
    return make_table(connect(str(tmp_path)), str(tmp_path), NAME, 0)


def add_version(folder: Path) -> int:
    other = cast("LanceTable", lancedb.connect(folder).open_table(NAME))
    other.delete("key_id = 'none'")
    return other.version


def set_time(folder: Path, time: int) -> None:
    os.utime(folder / f"{NAME}.lance" / "_versions", ns=(time, time))


def test_where_nothing_changed_for_long_the_table_is_not_asked(tmp_path: Path, table: LanceTable) -> None:
    newest = NewestVersion(str(tmp_path))
    set_time(tmp_path, LONG_AGO)
    before = newest(table)
    assert add_version(tmp_path) == before + 1
    set_time(tmp_path, LONG_AGO)
    assert newest(table) == before
    set_time(tmp_path, LONG_AGO + 1)
    assert newest(table) == before + 1


def test_two_changes_within_one_tick_of_the_clock_are_told_apart(tmp_path: Path, table: LanceTable) -> None:
    newest, tick = NewestVersion(str(tmp_path)), time_ns() + 10**12
    set_time(tmp_path, tick)
    before = newest(table)
    assert add_version(tmp_path) == before + 1
    set_time(tmp_path, tick)
    assert newest(table) == before + 1


def test_what_another_process_made_anew_is_read_anew(tmp_path: Path) -> None:
    with closing(small_store(tmp_path)) as ours, closing(small_store(tmp_path)) as other:
        entry = ours.memory.remember(clarification("what is akin to quick?", "a synonym"), ANN)
        ours.indexer.rebuild()
        assert_same_keys(ours, ANN)
        ours.memory.edit(entry.id, "an antonym", ANN)
        ours.indexer.catch_up()
        assert_same_keys(ours, ANN)
        other.indexer.rebuild()  # its version is lower than what is held, and the next change makes them alike
        ours.memory.remember(clarification("where is the bank?", "the edge of the river"), ANN)
        ours.indexer.catch_up()
        assert_same_keys(ours, ANN)
