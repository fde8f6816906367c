"""The index equals the ledger after any change, and finds what a user may read, during a switch of embedders, too."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

import numpy
import pytest

from assistant.sentences import Sentence
from assistant.types import Scope
from memory_store.arrays import Floats
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from memory_store.vectors import indexer
from memory_store.vectors.index import IndexUnavailable
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.keys import wait_until
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairEmbedder,
    assert_same_keys,
    build_retriever,
    clarification,
    ledger_url,
    open_home_store,
    search_index,
    share,
    small_store,
    unrelated_clarification,
)

QUICK = "What is akin to quick?"
SECONDS = 60


class Other(LetterPairEmbedder):
    """Another embedder, which counts its texts and can be blocked."""

    name, fingerprint = "other", "other-16"

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = Event()
        self.may_go_on.set()
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> Floats:
        assert self.may_go_on.wait(SECONDS)
        self.seen += texts
        return super().encode(texts)[:, ::-1].copy()


@pytest.fixture
def store(tmp_path: Path, embedder: LetterPairEmbedder) -> Store:
    return small_store(tmp_path, embedder)


def found(store: Store, question: str, embedder: LetterPairEmbedder | None = None) -> list[str]:
    return [candidate.entry.question for candidate in build_retriever(store, embedder, seconds=1)(question, ANN)]


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf"), None])
def test_unusable_vector_costs_meaning_only(store: Store, value: float | None) -> None:
    class Odd(LetterPairEmbedder):
        def encode(self, texts: Sequence[str]) -> Floats:
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


@pytest.mark.promise("embedder-switch-resumes")
def test_words_answer_until_all_is_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_BATCH", 4)
    filled(tmp_path, 20)
    other, why = Other(), Sentence("embedder.none")
    other.may_go_on.clear()
    store = small_store(tmp_path, other)
    store.start()
    wait_until(lambda: store.indexer.progress() is not None, SECONDS)
    store.memory.remember(clarification("the newest question of all", "as it is"), ANN)
    assert found(store, "the newest question")[0] == "the newest question of all"
    assert unrelated_clarification("3").question in found(store, unrelated_clarification("3").question)
    assert str(store.embedder_note(why)).endswith("of 21.")
    other.may_go_on.set()
    wait_until(lambda: store.index.sequence >= store.ledger.last_change(), SECONDS)
    assert store.embedder_note(why) == why
    (first, *_) = build_retriever(store, other)(unrelated_clarification("3").question, ANN)
    assert first.scores["meaning"] == pytest.approx(1.0, abs=1e-4)
    assert_same_keys(store, ANN)
    assert len(list((tmp_path / "index").glob("*.lance"))) == 1


@pytest.mark.promise("embedder-switch-resumes")
def test_broken_off_filling_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_BATCH", 4)
    filled(tmp_path, 20)
    texts, is_whole = 0, False
    while not is_whole:  # a new index object each, as in a new process
        other = Other()
        store = small_store(tmp_path, other)
        is_whole = store.indexer._step()
        texts += len(other.seen)
        store.close()
    store = small_store(tmp_path, Other())
    store.indexer.catch_up()
    assert_same_keys(store, ANN)
    assert texts <= 2 * 20  # each is embedded once


@pytest.mark.promise("embedder-switch-forgets")
def test_erased_during_a_switch_is_in_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_BATCH", 4)
    filled(tmp_path, 12)
    store = open_home_store(tmp_path, Other())
    store.indexer._step()
    erased = store.memory.entries(ANN, limit=100)[-1]
    assert find_bytes(tmp_path, [erased.question]) != []
    assert store.memory.forget(erased.id, ANN).is_complete
    assert find_bytes(tmp_path, [erased.question]) == []
    store.indexer.catch_up()
    assert_same_keys(store, ANN)


def filled(folder: Path, entries: int) -> None:
    with closing(small_store(folder, LetterPairEmbedder())) as store:
        for number in range(entries):
            store.memory.remember(unrelated_clarification(str(number)), ANN)
        store.indexer.catch_up()


def test_lock_of_another_process_delays_nobody(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_LOCK_SECONDS", 0.2)
    store.memory.remember(clarification(QUICK), ANN)
    store.indexer.catch_up()
    with closing(Ledger(ledger_url(tmp_path))) as other, other.lock("index", 1):
        store.memory.remember(clarification("What is akin to slow?", "an antonym"), ANN)
        with pytest.raises(IndexUnavailable):
            store.indexer.catch_up()
        assert not store.indexer.wait_until_current(SECONDS)
        assert "What is akin to slow?" in found(store, "What is akin to slow?")
        with pytest.raises(IndexUnavailable):
            store.indexer.rebuild()
    store.indexer.catch_up()
    assert_same_keys(store, ANN)
