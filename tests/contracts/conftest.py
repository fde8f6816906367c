"""Fixtures: both ledgers, a store over each, and a user's entry that may be shared."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.sharing import Curator
from assistant.types import Entry
from memory_store.ledger.ledger import Ledger
from memory_store.memory.memory import LedgerMemory
from memory_store.sharing.sharing import LedgerSharing
from memory_store.store import Store, open_store
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import ANN, clarification, create_ledger, ledger_memory


@pytest.fixture
def ledger(any_ledger_url: str) -> Iterator[Ledger]:
    ledger = Ledger(create_ledger(any_ledger_url))
    yield ledger
    ledger.close()


@pytest.fixture
def memory(ledger: Ledger) -> LedgerMemory:
    return ledger_memory(ledger)


@pytest.fixture
def any_store(tmp_path: Path, any_ledger_url: str) -> Iterator[Store]:
    store = open_store(any_ledger_url, str(tmp_path / "index"), None)
    yield store
    store.close()


@pytest.fixture
def sharing(store: Store) -> LedgerSharing:
    return store.sharing(RULES)


@pytest.fixture
def curator(sharing: LedgerSharing) -> Curator:
    return sharing.curator(CURATOR)


@pytest.fixture
def entry(store: Store) -> Entry:
    return store.memory.remember(clarification("what is akin to quick ?"), ANN)
