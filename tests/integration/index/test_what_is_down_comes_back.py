"""Embedder, index or model down: entries saved meanwhile are found soon after recovery."""

import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray

from memory_store.retrieval.retriever import QuestionVectors
from memory_store.store import Store
from tests.support.memory.store import ANN, LetterPairEmbedder, build_retriever, small_store, unrelated_clarification

pytestmark = [pytest.mark.promise("outages-recover"), pytest.mark.usefixtures("soon_tried_again")]
SAVES = 4
SECONDS = 60.0


class Faulty(LetterPairEmbedder):
    """An embedder that works unless `works` is cleared: then it hangs or fails, by `fault`."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault
        self.works = threading.Event()
        self.works.set()

    @property
    def fingerprint(self) -> str:  # type: ignore[override]  # depends on a loaded model
        if self.fault == "cannot be loaded" and not self.works.is_set():
            raise OSError("The model's file is missing.")
        return "faulty"

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        if self.fault == "hangs":
            self.works.wait()
        self.is_down = not self.works.is_set()
        return super().encode(texts)


def not_found(store: Store, embedder: LetterPairEmbedder, names: Iterable[str]) -> list[str]:
    """Return the entries that their own question does not find by meaning."""
    recall = build_retriever(store, embedder, seconds=5)

    def is_found(name: str) -> bool:
        draft = unrelated_clarification(name)
        return any(
            candidate.entry.text == draft.text and candidate.scores.get("meaning", 0.0) > 0.99
            for candidate in recall(draft.question, ANN)
        )

    return [name for name in names if not is_found(name)]


def wait_until_found(store: Store, embedder: LetterPairEmbedder, names: list[str]) -> None:
    deadline = time.monotonic() + SECONDS
    while names := not_found(store, embedder, names):
        assert time.monotonic() < deadline, f"{len(names)} are not found"
        time.sleep(0.1)


@pytest.mark.parametrize("fault", ["fails", "hangs", "cannot be loaded"])
@pytest.mark.parametrize("from_the_start", [True, False])
def test_saves_without_embedder_are_found(tmp_path: Path, fault: str, from_the_start: bool) -> None:
    embedder = Faulty(fault)
    store = small_store(tmp_path, embedder)
    if from_the_start:
        embedder.works.clear()
    store.start()
    if not from_the_start:
        assert store.indexer.wait_until_current(SECONDS)
        embedder.works.clear()
    names = [str(number) for number in range(SAVES)]
    for name in names:
        store.memory.remember(unrelated_clarification(name), ANN)
    embedder.works.set()
    wait_until_found(store, embedder, names)
    store.close()


def test_question_skips_a_hanging_embedder() -> None:
    embedder = Faulty("hangs")
    vectors = QuestionVectors(embedder, wait_seconds=0.05)
    embedder.works.clear()
    assert vectors("first")[0] is None
    assert vectors("while the first still hangs")[0] is None
    embedder.works.set()
    deadline = time.monotonic() + SECONDS
    while vectors("once it works again")[0] is None:
        assert time.monotonic() < deadline
