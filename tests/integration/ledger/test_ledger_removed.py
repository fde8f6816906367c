"""The ledger's file removed or replaced while the server runs: no change is acknowledged that would be lost."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from assistant.errors import StoreError
from memory_store.store import Store
from tests.support.memory.store import ANN, open_home_store, unrelated_clarification
from ui.server.request_policy import HealthMiddleware

pytestmark = pytest.mark.promise("removed-ledger-is-noticed")

GONE = "removed or replaced while Noted was running"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_home_store(tmp_path)


def replaced_by_a_copy(ledger: Path) -> None:
    shutil.copy(ledger, ledger.with_name("copy"))
    ledger.with_name("copy").replace(ledger)


LOST: dict[str, Callable[[Path], object]] = {
    "removed": Path.unlink,
    "with its folder": lambda ledger: ledger.parent.rename(ledger.parent.with_name("elsewhere")),
    "replaced": replaced_by_a_copy,
}


@pytest.mark.parametrize("how", LOST)
def test_removed_ledger_saves_nothing(store: Store, tmp_path: Path, how: str) -> None:
    health = TestClient(HealthMiddleware(Starlette(), store.ledger.check))
    kept = store.memory.remember(unrelated_clarification("before"), ANN)
    assert health.get("/healthz").status_code == 200
    LOST[how](tmp_path / "ledger.db")
    with pytest.raises(StoreError, match=GONE):
        store.memory.remember(unrelated_clarification("after"), ANN)
    with pytest.raises(StoreError, match=GONE):
        store.memory.forget(kept.id, ANN)
    assert health.get("/healthz").status_code == 503


def test_reading_makes_no_empty_ledger(store: Store, tmp_path: Path) -> None:
    store.memory.remember(unrelated_clarification("before"), ANN)
    (tmp_path / "ledger.db").unlink()

    def read(_: int) -> object:
        try:
            return len(store.memory.entries(ANN))
        except StoreError as error:
            return str(error)

    with ThreadPoolExecutor(20) as readers:
        assert all(told == 1 or GONE in str(told) for told in readers.map(read, range(20)))
    assert not (tmp_path / "ledger.db").exists()


def test_restored_file_is_used_again(store: Store, tmp_path: Path) -> None:
    ledger, aside = tmp_path / "ledger.db", tmp_path / "aside"
    store.memory.remember(unrelated_clarification("before"), ANN)
    ledger.rename(aside)
    with pytest.raises(StoreError, match=GONE):
        store.memory.remember(unrelated_clarification("between"), ANN)
    aside.rename(ledger)
    store.memory.remember(unrelated_clarification("after"), ANN)
    store.ledger.check()
    store.close()
    assert len(open_home_store(tmp_path).memory.entries(ANN)) == 2
