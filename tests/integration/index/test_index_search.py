"""Search in the index: by meaning, within the user's entries."""

from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray

from assistant.types import Scope
from memory_store.store import Store
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairEmbedder,
    build_retriever,
    clarification,
    search_index,
    share,
    small_store,
)

QUICK = "What is akin to quick?"


@pytest.fixture
def store(tmp_path: Path, embedder: LetterPairEmbedder) -> Store:
    return small_store(tmp_path, embedder)


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf"), None])
def test_unusable_vector_costs_meaning_only(store: Store, value: float | None) -> None:
    class Odd(LetterPairEmbedder):
        def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
            return numpy.ones((1, 3), numpy.float32) if value is None else numpy.full((1, 16), value, numpy.float32)

    store.memory.remember(clarification(QUICK), ANN)
    (candidate,) = build_retriever(store, Odd())(QUICK, ANN)
    assert "meaning" not in candidate.scores
    assert candidate.scores["letters"] == pytest.approx(1.0)


def test_private_entries_are_not_found(
    store: Store, embedder: LetterPairEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    names = ("everyone", "person", "ANN", "ann ", 'अनु \\ " ;', "ann'--", "%", 'x" OR "1"="1', "ਅਨੂ", "x' OR true --")
    people = [ANN, BOB, *map(Scope, names)]
    own = {}
    for number, person in enumerate(people):
        own[person] = store.memory.remember(clarification(f"the secret word number {number}"), person).id
    shared = store.memory.remember(clarification("the word for everyone"), ANN).id
    share(store, shared)
    store.indexer.catch_up()
    for person in people:
        assert search_index(store, "the secret word number", person) == {own[person], shared}
        assert shared in store.memory.entries_by_id([shared], person)
    assert "let the row" not in caplog.text  # the queries alone filtered everything
