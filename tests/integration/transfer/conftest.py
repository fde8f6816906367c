"""Two stores, to export from and to import into."""

from pathlib import Path

import pytest

from memory_store.store import Store
from tests.support.memory.store import small_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return small_store(tmp_path / "one")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Store:
    return small_store(tmp_path / "other")
