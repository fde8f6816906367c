"""What the tests of the loop run on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_store.glossed import READINGS
from memory_store.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"sqlite:///{tmp_path / 'ledger.sqlite3'}", str(tmp_path / "index"), None, READINGS)
    yield store
    store.close()
