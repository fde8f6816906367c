"""Search in the index: by meaning, within the user's entries."""

from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray

from assistant.types import Scope
from memory_store.language.word_translation import fold_for_comparison
from memory_store.store import Store
from memory_store.vectors import rows
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairEmbedder,
    build_retriever,
    clarification,
    find_cosines,
    share,
    small_store,
)

QUICK = "What is akin to quick?"


@pytest.fixture
def store(tmp_path: Path, embedder: LetterPairEmbedder) -> Store:
    return small_store(tmp_path, embedder)


def test_search_finds_by_meaning(store: Store, embedder: LetterPairEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "NEAREST", 1)
    quick = store.memory.remember(clarification(QUICK), ANN)
    for number in range(20):
        store.memory.remember(clarification(f"zzz {number}", f"zz {number}"), ANN)
    store.indexer.catch_up()
    found = store.index.search(embedder.encode([QUICK])[0], ANN)
    assert quick.id in found
    assert len(found) <= 4
    texts = dict(zip(found[quick.id].key_ids, found[quick.id].words, strict=True))
    assert texts.keys() == {f"{quick.id}/0", f"{quick.id}/told"}
    assert max(found[quick.id].cosines) == pytest.approx(1.0, abs=1e-4)
    assert texts[f"{quick.id}/0"] == fold_for_comparison(QUICK)


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
        assert find_cosines(store, "the secret word number", person, embedder).keys() == {own[person], shared}
        assert shared in store.memory.entries_by_id([shared], person)
    assert "let the row" not in caplog.text  # the queries alone filtered everything
