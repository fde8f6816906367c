"""Searching the index: by meaning and by wording, among any number of rows, and each person finds only their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray

from assistant.types import Scope
from memory_store.index import index
from memory_store.index import search as index_search
from memory_store.index.key_matrix import known
from memory_store.language.readings import READINGS
from memory_store.store import Store
from tests.support.store import (
    ANN,
    BOB,
    LetterPairs,
    asked,
    best,
    clarification,
    indexed,
    recall_on,
    share,
    small_store,
)

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
    monkeypatch.setattr(index_search, "_SEARCHED", 2)
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
            return numpy.ones((1, 3)) if value is None else numpy.full((1, 16), value, dtype=numpy.float32)

    store.memory.remember(clarification(QUICK), ANN)
    (candidate,) = recall_on(store, Odd())(QUICK, ANN)
    assert "meaning" not in candidate.scores
    assert candidate.scores["ngrams"] == pytest.approx(1.0)


@pytest.mark.usefixtures("any_size")
@pytest.mark.parametrize("text", ["", "   ", "\ud800", '" AND ( :*?~ \\', "'; --", "a" * 10_000, "\x00", "?", "\u202e"])
def test_no_text_breaks_a_search(store: Store, text: str) -> None:
    store.memory.remember(clarification(QUICK), ANN)
    store.indexer.catch_up()
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
