"""Names in facts: the index equals the ledger, they go with their facts, and users see only their own."""

from pathlib import Path

import numpy as np
import pytest

from assistant.types import Scope
from memory_store.language.normalize import fold_name
from memory_store.ledger.database.schema import NameRole
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.store import ANN, BOB, LetterPairEmbedder, open_home_store
from tests.support.memory.triples import fact

pytestmark = pytest.mark.promise("forgotten-names", "tables-follow-facts")

DAUGHTER = fold_name("Danadaughter")
DANA = "Danadaughter | works as director of | Punepolis"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_home_store(tmp_path)


def held(store: Store, person: Scope = ANN) -> set[tuple[str, str]]:
    """Return the folded names of a user in the index, with their roles."""
    store.indexer.catch_up()
    anything = np.full(16, 0.25, dtype=np.float32)
    return {(role.value, name) for role in NameRole for name in store.index.names(role, anything, -1.0, person)}


def test_index_holds_the_names_of_own_facts(store: Store) -> None:
    first = store.memory.remember(fact("a", DANA), ANN)
    assert held(store) == {
        ("entity", DAUGHTER),
        ("entity", "punepolis"),
        ("relation", fold_name("works as director of")),
    }
    second = store.memory.remember(fact("b", "Danadaughter | likes | Goa"), ANN)
    store.memory.remember(fact("c", "Danadaughter | likes | tea"), BOB)
    store.memory.forget(first.id, ANN)
    assert held(store) == {("entity", DAUGHTER), ("entity", "goa"), ("relation", "likes")}
    store.indexer.rebuild()
    store.memory.retract(second.id, ANN)
    assert held(store) == set()
    assert held(store, BOB) == {("entity", DAUGHTER), ("entity", "tea"), ("relation", "likes")}
    assert store.verify(lambda _: None).is_right


@pytest.mark.parametrize("way", ["forget", "forget_all"])
def test_no_file_holds_a_forgotten_name(store: Store, tmp_path: Path, way: str) -> None:
    for number in range(40):
        store.memory.remember(fact(f"f {number}", f"Ravi | likes | thing {number}"), BOB)
    saved = store.memory.remember(fact("a", DANA), ANN)
    held(store)
    names = ["Danadaughter", "Punepolis", "works as director of"]
    forms = ["punepolis", *(vector.tobytes() for vector in LetterPairEmbedder().encode(names))]
    assert {needle for _, needle in find_bytes(tmp_path, [*names, *forms])} >= {name.encode() for name in names}
    done = store.memory.forget(saved.id, ANN) if way == "forget" else store.memory.forget_all(ANN)
    assert done.is_complete
    assert find_bytes(tmp_path, [*names, *forms]) == []
    assert len(held(store, BOB)) == 42
