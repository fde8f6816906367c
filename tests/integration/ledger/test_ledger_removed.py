"""The ledger's file removed or replaced while the server runs: no change is acknowledged that would be lost."""

import shutil
from collections.abc import Callable
from contextlib import suppress
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


LOST: dict[str, Callable[[Path], object]] = {
    "removed": Path.unlink,
    "replaced": lambda ledger: Path(shutil.copy(ledger, ledger.with_name("copy"))).replace(ledger),
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
    with suppress(StoreError):
        assert list(store.memory.entries(ANN)) == [kept]
    assert health.get("/healthz").status_code == 503
    assert (tmp_path / "ledger.db").exists() == (how == "replaced")


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
