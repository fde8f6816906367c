"""Searching the index, held in memory or not: what is true, by meaning and by wording, and to each their own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray

from assistant.types import Scope
from memory_store.index import index, matrix_cache
from memory_store.index import table as index_table
from memory_store.index.key_matrix import KeyMatrix, known
from memory_store.index.matrix_cache import Matrices
from memory_store.language.word_translation import READINGS
from memory_store.ledger.indexed_keys import IndexedKey
from memory_store.store import Store
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairs,
    asked,
    assert_same_keys,
    best,
    clarification,
    indexed,
    recall_on,
    save_and_index,
    share,
    small_store,
)
from tests.support.servers.processes import FORKED

QUICK = "What is akin to quick?"


@pytest.fixture(params=["held in memory", "searched"])
def any_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as for most people, and once as for one with more rows than are held in memory."""
    if request.param == "searched":
        monkeypatch.setattr(index, "_MOST_HELD", 0)


@pytest.fixture
def store(tmp_path: Path, embedder: LetterPairs) -> Store:
    return small_store(tmp_path, embedder)


@pytest.mark.usefixtures("any_size")
def test_the_index_finds_by_meaning_and_by_wording(store: Store, embedder: LetterPairs) -> None:
    near = store.memory.remember(clarification(QUICK), ANN)
    far = store.memory.remember(clarification("राजधानी क्या है", "मेरा मतलब दिल्ली"), ANN)
    store.indexer.catch_up()
    question = asked("What is akin to fast", embedder=embedder)
    scores, others = best(store.index, question, near.id), best(store.index, question, far.id)
    assert 1.0 >= scores["meaning"] > others["meaning"] >= 0.0
    assert 1.0 >= scores["ngrams"] > others["ngrams"] == 0.0
    assert far.id in {row.entry_id for row in indexed(store.index, ANN, asked("क्या"))}


def test_of_too_many_rows_to_hold_those_are_searched_that_are_near(
    store: Store, embedder: LetterPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_MOST_HELD", 3)
    monkeypatch.setattr(index_table, "_SEARCHED", 2)
    near = store.memory.remember(clarification(QUICK), ANN)
    worded = store.memory.remember(clarification("राजधानी क्या है", "मेरा मतलब दिल्ली"), ANN)
    for number in range(20):
        store.memory.remember(clarification(f"zzz {number}", f"zz {number}"), ANN)
    store.indexer.catch_up()
    question = replace(asked("क्या"), vector=known(embedder.encode([QUICK])[0]))
    found = indexed(store.index, ANN, question)
    assert {near.id, worded.id} <= {row.entry_id for row in found}
    assert len({row.entry_id for row in found}) <= 4
    assert sorted(row.key_id for row in found if row.entry_id == near.id) == [f"{near.id}/0", f"{near.id}/told"]


@pytest.mark.usefixtures("any_size")
@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf"), None])
def test_a_question_without_a_usable_vector_is_not_compared_by_meaning(store: Store, value: float | None) -> None:
    class Odd(LetterPairs):
        def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
            return numpy.ones((1, 3), numpy.float32) if value is None else numpy.full((1, 16), value, numpy.float32)

    store.memory.remember(clarification(QUICK), ANN)
    (candidate,) = recall_on(store, Odd())(QUICK, ANN)
    assert "meaning" not in candidate.scores
    assert candidate.scores["ngrams"] == pytest.approx(1.0)


@pytest.mark.usefixtures("any_size")
def test_no_text_breaks_a_search(store: Store) -> None:
    store.memory.remember(clarification(QUICK), ANN)
    store.indexer.catch_up()
    for text in ("", "   ", "\ud800", '" AND ( :*?~ \\', "'; --", "a" * 10_000, "\x00", "?", "\u202e"):
        store.index.matrices(asked(text, READINGS), ANN)
        assert {row.text for row in indexed(store.index, ANN, asked("akin", READINGS))} >= {QUICK}


@pytest.mark.usefixtures("any_size")
def test_nobody_finds_what_others_keep_private(store: Store, embedder: LetterPairs) -> None:
    names = ("everyone", "person", "ANN", "ann ", 'अनु \\ " ;', "ann'--", "%", 'x" OR "1"="1', "ਅਨੂ", "x' OR true --")
    people = [ANN, BOB, *map(Scope, names)]
    for number, person in enumerate(people):
        store.memory.remember(clarification(f"the secret word number {number}"), person)
    shared = store.memory.remember(clarification("the word for everyone"), ANN)
    share(store, shared.id)
    store.indexer.catch_up()
    question = asked("the secret word number", embedder=embedder)
    for person in people:
        found = indexed(store.index, person, question)
        assert {row.owner for row in [*found, *store.memory.keys(person)]} == {person.person, "ann"}
        foreign = [row for row in found if row.owner != person.person]
        assert {row.entry_id for row in foreign} <= {shared.id}
        assert shared.id in store.memory.entries_by_id([shared.id], person)


ANYTHING = asked("?")


@pytest.fixture
def filled(tmp_path: Path) -> Store:
    filled = small_store(tmp_path, LetterPairs())
    for person in (ANN, BOB):
        filled.memory.remember(clarification("what is akin to quick?"), person)
    filled.indexer.catch_up()
    return filled


def held(filled: Store, person: Scope) -> tuple[Matrices, Matrices]:
    return filled.index.matrices(ANYTHING, person)


def rows(matrices: Matrices) -> list[IndexedKey]:
    return sorted((key for matrix in matrices for key in KeyMatrix.joined([matrix]).rows), key=repr)


def test_what_is_held_is_used_again(filled: Store) -> None:
    assert held(filled, ANN) == held(filled, ANN)
    assert held(filled, ANN)[1] is held(filled, BOB)[1]
    assert rows(held(filled, ANN)[1]) == []


@pytest.mark.parametrize("operation", ["remember", "edit", "retract", "forget"])
def test_a_write_changes_the_matrices_that_it_touched_and_no_others(filled: Store, operation: str) -> None:
    (entry,) = filled.memory.entries(ANN)
    before = held(filled, ANN), held(filled, BOB)
    write: dict[str, Callable[[], object]] = {
        "remember": lambda: filled.memory.remember(clarification("kal match kab hai", "kal means tomorrow"), ANN),
        "edit": lambda: filled.memory.edit(entry.id, "an antonym", ANN),
        "retract": lambda: filled.memory.retract(entry.id, ANN),
        "forget": lambda: filled.memory.forget(entry.id, ANN),
    }
    write[operation]()
    filled.indexer.catch_up()
    (own, shared), others = held(filled, ANN), held(filled, BOB)
    assert own != before[0][0]
    assert rows(own) == sorted(filled.memory.keys(ANN), key=repr)
    assert shared == before[0][1]
    assert others == before[1]
    if operation == "forget":
        assert sum(matrix.held for matrix in own) == len(rows(own))  # what was erased stays nowhere


def test_what_becomes_shared_leaves_the_one_matrix_for_the_other(filled: Store) -> None:
    (entry,) = filled.memory.entries(ANN)
    before = held(filled, ANN), held(filled, BOB)
    share(filled, entry.id)
    filled.indexer.catch_up()
    own, shared = held(filled, ANN)
    assert rows(own) == []
    assert {row.entry_id for row in rows(shared)} == {entry.id}
    assert held(filled, BOB) == (before[1][0], shared)


def test_of_a_write_of_another_process_nothing_else_is_read(filled: Store, tmp_path: Path) -> None:
    before = held(filled, ANN), held(filled, BOB)
    process = FORKED.Process(target=save_and_index, args=(tmp_path, "kal match kab hai", "kal means tomorrow"))
    process.start()
    process.join()
    assert process.exitcode == 0
    after = held(filled, ANN), held(filled, BOB)
    assert after[0][0] != before[0][0]
    assert (after[0][1], after[1]) == (before[0][1], before[1])
    assert "kal match kab hai" in {row.text for row in rows(after[0][0])}
    filled.memory.remember(clarification("who wrote it", "the book"), BOB)
    filled.indexer.catch_up()
    assert held(filled, ANN) == after[0]
    assert "who wrote it" in {row.text for row in rows(held(filled, BOB)[0])}


def test_only_the_matrices_that_were_used_last_are_kept(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_cache, "_MOST_OWNERS", 3)
    ann, (bob, shared) = held(filled, ANN)[0], held(filled, BOB)
    assert held(filled, ANN) == (ann, shared)
    held(filled, Scope("somebody"))
    again, _ = held(filled, BOB)
    assert again is not bob
    assert rows(again) == rows(bob)


def test_while_one_thread_writes_others_read_what_is_true(filled: Store) -> None:
    def read(person: Scope) -> None:
        for _ in range(40):
            assert {row.owner for row in indexed(filled.index, person)} == {person.person}

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read, person) for person in (ANN, BOB)]
        for number in range(10):
            filled.memory.remember(clarification(f"question {number}", f"said {number}"), (ANN, BOB)[number % 2])
            filled.indexer.catch_up()
        for reader in readers:
            reader.result()
    assert_same_keys(filled, ANN, BOB)
