"""The ledger's file removed or replaced under a running server: nothing is called saved that nobody finds again."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from assistant.errors import StoreError
from memory_store.store import Store
from tests.support.memory.store import ANN, opened, unlike
from ui.server.health import PATH, HealthMiddleware

pytestmark = pytest.mark.promise("removed-ledger-is-noticed")

GONE = "removed or replaced while Noted was running"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return opened(tmp_path)


def removed(ledger: Path) -> None:
    ledger.unlink()


def with_its_folder(ledger: Path) -> None:
    ledger.parent.rename(ledger.parent.with_name("elsewhere"))


def replaced_by_a_copy(ledger: Path) -> None:
    copy = ledger.with_name("copy")
    shutil.copy(ledger, copy)
    copy.replace(ledger)


def replaced_by_an_empty_file(ledger: Path) -> None:
    removed(ledger)
    ledger.touch()


@pytest.mark.parametrize("lost", [removed, with_its_folder, replaced_by_a_copy, replaced_by_an_empty_file])
def test_once_the_file_is_gone_nothing_is_called_saved(
    store: Store, tmp_path: Path, lost: Callable[[Path], None]
) -> None:
    health = TestClient(HealthMiddleware(Starlette(), store.ledger.check))
    kept = store.memory.remember(unlike("before"), ANN)
    assert health.get(PATH).status_code == 200
    lost(tmp_path / "ledger.db")
    with pytest.raises(StoreError, match=GONE):
        store.memory.remember(unlike("after"), ANN)
    with pytest.raises(StoreError, match=GONE):
        store.memory.forget(kept.id, ANN)
    assert health.get(PATH).status_code == 503


def test_no_connection_makes_an_empty_file_in_its_place(store: Store, tmp_path: Path) -> None:
    store.memory.remember(unlike("before"), ANN)
    (tmp_path / "ledger.db").unlink()
    together = threading.Barrier(20)
    said: list[object] = []

    def read() -> None:
        together.wait()
        try:
            said.append(len(store.memory.entries(ANN)))
        except StoreError as error:
            said.append(str(error))

    readers = [threading.Thread(target=read) for _ in range(20)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert all(told == 1 or GONE in str(told) for told in said)
    assert not (tmp_path / "ledger.db").exists()


def test_what_is_put_back_goes_on(store: Store, tmp_path: Path) -> None:
    ledger, aside = tmp_path / "ledger.db", tmp_path / "aside"
    store.memory.remember(unlike("before"), ANN)
    ledger.rename(aside)
    with pytest.raises(StoreError, match=GONE):
        store.memory.remember(unlike("between"), ANN)
    aside.rename(ledger)
    store.memory.remember(unlike("after"), ANN)
    store.ledger.check()
    store.close()
    assert len(opened(tmp_path).memory.entries(ANN)) == 2
