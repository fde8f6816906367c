"""A store, and one person's entry that may be shared."""

from __future__ import annotations

import pytest

from assistant.ports import Sharing
from assistant.sharing import Curator
from assistant.types import Entry, Key, KeyOrigin
from memory_store.store import Store
from tests.support.sharing import CURATOR, RULES
from tests.support.store import ANN, clarification


@pytest.fixture
def sharing(store: Store) -> Sharing:
    return store.sharing(RULES)


@pytest.fixture
def curator(sharing: Sharing) -> Curator:
    return sharing.curator(CURATOR)


@pytest.fixture
def entry(store: Store) -> Entry:
    draft = clarification("what is akin to quick ?", further=[Key("akin to ▢ ?", KeyOrigin.RULE)])
    return store.memory.remember(draft, ANN)
