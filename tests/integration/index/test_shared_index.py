"""An index in an object store: a store that loses rows is refused, and an outage affects nothing else."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from assistant.errors import StoreError
from memory_store.store import Store
from memory_store.vectors import indexer as indexer_module
from memory_store.vectors.index import IndexUnavailable
from memory_store.vectors.object_store import UnsafeStore
from tests.support.memory.keys import wait_until
from tests.support.memory.store import (
    ANN,
    LetterPairEmbedder,
    assert_same_keys,
    build_retriever,
    clarification,
    ledger_url,
    open_store,
    read_index,
    search_index,
)
from tests.support.servers.object_store import BUCKET, ObjectStore
from tests.support.servers.postgres import Postgres

pytestmark = pytest.mark.promise("object-store-fails")

SAVES = 3
SECONDS = 60


@pytest.fixture
def store(postgres: Postgres, index_uri: str, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(indexer_module, "_CHECK_EVERY", 1.0)
    return open_store(postgres.url(), index_uri, LetterPairEmbedder())


def found(store: Store, question: str) -> list[str]:
    return [
        candidate.entry.question for candidate in build_retriever(store, LetterPairEmbedder(), seconds=1)(question, ANN)
    ]


@pytest.mark.parametrize("how", [ObjectStore.refusing, ObjectStore.hanging])
def test_saving_and_recall_go_on_without_it(
    store: Store, object_store: ObjectStore, how: Callable[[ObjectStore], AbstractContextManager[None]]
) -> None:
    store.start()
    store.memory.remember(clarification("before"), ANN)
    wait_until(lambda: store.index.sequence >= store.ledger.last_change(), SECONDS)  # a question would wake it
    with how(object_store):
        assert found(store, "before") == ["before"]
        with pytest.raises(IndexUnavailable):
            search_index(store, "before")
        for number in range(SAVES):
            store.memory.remember(clarification(f"while down {number}", f"I meant {number}"), ANN)
        assert f"while down {SAVES - 1}" in found(store, f"while down {SAVES - 1}")
    wait_until(lambda: store.index.sequence >= store.ledger.last_change(), SECONDS)
    assert_same_keys(store, ANN)
    assert len({key_id.split("/")[0] for key_id in read_index(store, ANN)}) == SAVES + 1
    store.memory.forget(store.memory.entries(ANN)[0].id, ANN)
    assert len({key_id.split("/")[0] for key_id in read_index(store, ANN)}) == SAVES


@pytest.mark.promise("conditional-put-is-needed")
def test_overwriting_store_is_refused_at_start(
    postgres: Postgres, index_uri: str, object_store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "ignores_conditions", True)
    with pytest.raises(UnsafeStore, match="If-None-Match"):
        open_store(postgres.url(), index_uri, None)
    assert object_store.client().list_objects_v2(Bucket=BUCKET, Prefix=tmp_path.name)["KeyCount"] == 0


@pytest.mark.parametrize("elsewhere", ["db://noted", "s3+ddb://noted/index"])
def test_unknown_kind_of_index_is_a_sentence(tmp_path: Path, elsewhere: str) -> None:
    with pytest.raises(StoreError, match="NOTED_INDEX must be"):
        open_store(ledger_url(tmp_path), elsewhere, None)
