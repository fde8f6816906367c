"""What is held in memory of the index: dropped when it is not true any more, kept otherwise, and never another's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.types import Scope
from memory_store.index import matrix_cache
from memory_store.index.key_matrix import KeyMatrix
from memory_store.store import Store
from tests.support.processes import FORKED
from tests.support.store import (
    ANN,
    BOB,
    LetterPairs,
    asked,
    assert_same_keys,
    clarification,
    indexed,
    save_and_index,
    share,
    small_store,
)

ANYTHING = asked("?")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = small_store(tmp_path, LetterPairs())
    for person in (ANN, BOB):
        store.memory.remember(clarification("what is akin to quick?"), person)
    store.indexer.catch_up()
    return store


def held(store: Store, person: Scope) -> tuple[KeyMatrix, KeyMatrix]:
    own, shared = store.index.matrices(ANYTHING, person)
    return own, shared


def test_what_is_held_is_used_again(store: Store) -> None:
    assert held(store, ANN) == held(store, ANN)
    assert held(store, ANN)[1] is held(store, BOB)[1]
    assert len(held(store, ANN)[1]) == 0


@pytest.mark.parametrize("operation", ["remember", "edit", "retract", "forget"])
def test_a_write_drops_the_matrix_that_it_touched_and_no_other(store: Store, operation: str) -> None:
    (entry,) = store.memory.entries(ANN)
    before = held(store, ANN), held(store, BOB)
    write = {
        "remember": lambda: store.memory.remember(clarification("kal match kab hai", "kal means tomorrow"), ANN),
        "edit": lambda: store.memory.edit(entry.id, "an antonym", ANN),
        "retract": lambda: store.memory.retract(entry.id, ANN),
        "forget": lambda: store.memory.forget(entry.id, ANN),
    }
    write[operation]()
    store.indexer.catch_up()
    (own, shared), others = held(store, ANN), held(store, BOB)
    assert own is not before[0][0]
    assert sorted(own.rows, key=repr) == sorted(store.memory.keys(ANN), key=repr)
    if operation != "forget":  # after an erasure the table is tidied, which makes everything be read anew
        assert shared is before[0][1]
        assert others == before[1]


def test_what_becomes_shared_leaves_the_one_matrix_for_the_other(store: Store) -> None:
    (entry,) = store.memory.entries(ANN)
    before = held(store, ANN), held(store, BOB)
    share(store, entry.id)
    store.indexer.catch_up()
    own, shared = held(store, ANN)
    assert own.entry_ids == ()
    assert shared.entry_ids == (entry.id,)
    assert held(store, BOB) == (before[1][0], shared)


def test_a_write_of_another_process_drops_everything(store: Store, tmp_path: Path) -> None:
    before = held(store, ANN), held(store, BOB)
    process = FORKED.Process(target=save_and_index, args=(tmp_path, "kal match kab hai", "kal means tomorrow"))
    process.start()
    process.join()
    assert process.exitcode == 0
    after = held(store, ANN), held(store, BOB)
    for person in (0, 1):
        assert after[person][0] is not before[person][0]
        assert after[person][1] is not before[person][1]
    assert "kal match kab hai" in {row.text for row in after[0][0].rows}
    assert after[1][0].rows == before[1][0].rows
    store.memory.remember(clarification("who wrote it", "the book"), BOB)
    store.indexer.catch_up()
    assert held(store, ANN) == after[0]
    assert "who wrote it" in {row.text for row in held(store, BOB)[0].rows}


def test_only_the_matrices_that_were_used_last_are_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_cache, "_MOST_MATRICES", 3)
    ann, (bob, shared) = held(store, ANN)[0], held(store, BOB)
    assert held(store, ANN) == (ann, shared)
    held(store, Scope("somebody"))
    again, _ = held(store, BOB)
    assert again is not bob
    assert again.rows == bob.rows


def test_while_one_thread_writes_others_read_what_is_true(store: Store) -> None:
    def read(person: Scope) -> None:
        for _ in range(40):
            assert {row.owner for row in indexed(store.index, person)} == {person.person}

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read, person) for person in (ANN, BOB)]
        for number in range(10):
            store.memory.remember(clarification(f"question {number}", f"said {number}"), (ANN, BOB)[number % 2])
            store.indexer.catch_up()
        for reader in readers:
            reader.result()
    assert_same_keys(store, ANN, BOB)
