"""Embedder, index or model down: entries saved meanwhile are found soon after recovery."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray

from assistant.types import NewEntry
from memory_store.retrieval.retriever import QuestionVectors
from memory_store.store import Store
from tests.support.memory.keys import wait_until
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


def is_found(store: Store, embedder: LetterPairEmbedder, draft: NewEntry) -> bool:
    """Return True if the entry's own question finds it by meaning."""
    found = build_retriever(store, embedder, seconds=5)(draft.question, ANN)
    return any(one.entry.question == draft.question and one.scores.get("meaning", 0.0) > 0.99 for one in found)


@pytest.mark.parametrize("fault", ["fails", "hangs", "cannot be loaded"])
def test_saves_without_embedder_are_found(tmp_path: Path, fault: str) -> None:
    embedder = Faulty(fault)
    store = small_store(tmp_path, embedder)
    if fault == "cannot be loaded":
        embedder.works.clear()
    store.start()
    if embedder.works.is_set():
        assert store.indexer.wait_until_current(SECONDS)
        embedder.works.clear()
    drafts = [unrelated_clarification(str(number)) for number in range(SAVES)]
    for draft in drafts:
        store.memory.remember(draft, ANN)
    embedder.works.set()
    wait_until(lambda: all(is_found(store, embedder, draft) for draft in drafts), SECONDS)
    store.close()


def test_question_skips_a_hanging_embedder() -> None:
    embedder = Faulty("hangs")
    vectors = QuestionVectors(embedder, wait_seconds=0.05)
    embedder.works.clear()
    assert vectors("first")[0] is None
    assert vectors("while the first still hangs")[0] is None
    embedder.works.set()
    wait_until(lambda: vectors("once it works again")[0] is not None, SECONDS)
