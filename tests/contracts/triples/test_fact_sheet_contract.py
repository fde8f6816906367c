"""Contract of `FactSheet`."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.papers.memllm.sheet import EDIT, MOST_FOUND, LookupOutcome, LookupResult, Profile, Query
from memory_store.store import Store
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import ANN, BOB, open_store
from tests.support.memory.triples import fact

pytestmark = pytest.mark.promise("same-on-postgresql", "queries-have-bounds")

WORKS = "Dana | works in | Pune"
LIKE = {"Dana Roy": ("Dana", 0.8), "employed in": ("works in", 0.75), "sits in": ("works in", 0.25)}


COSINE = st.floats(0.01, 0.99)
_OWN = 48  # directions of unrelated texts, by hash


class SimilarWordsEmbedder:
    """Implements `Embedder`. `like` maps a text to another one and their cosine."""

    name = "likenesses"
    fingerprint = "likenesses"
    dimension = 2 * _OWN

    def __init__(self, like: Mapping[str, tuple[str, float]]) -> None:
        self._like = like

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        other, cosine = self._like.get(text, (text, 1.0))
        vector = np.zeros(self.dimension, dtype=np.float32)
        vector[_direction(other)] = cosine
        vector[_OWN + _direction(text)] = np.sqrt(1 - cosine**2)
        return vector


def _direction(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) % _OWN


def query(said: str) -> Query:
    """Parse "Dana | works in | ?" as a query."""
    subject, relation, named = (part.strip().replace("?", "") for part in said.split("|"))
    return Query(subject, relation, named)


def lines(found: LookupResult) -> list[str]:
    return [" | ".join(row.triple.model_dump().values()) for row in found.rows]


@pytest.fixture
def store(tmp_path: Path, any_ledger_url: str) -> Store:
    store = open_store(any_ledger_url, str(tmp_path / "index"), SimilarWordsEmbedder(LIKE))
    store.sheet.profile = Profile(0.7, 0.7, 0.85)  # for knowledge of the world (appendix D of the paper)
    return store


def test_query_reads_from_either_side(store: Store) -> None:
    assert not store.sheet.has_any(ANN)
    saved = store.memory.remember(fact("Dana works in Pune", WORKS), ANN)
    assert store.sheet.has_any(ANN)
    for asked in ("Dana | works in | ?", "? | works in | Pune", "ਦਾਨਾ | WORKS  in | ?"):
        found = store.sheet.read(query(asked), ANN)
        assert (found.outcome, lines(found)) == (LookupOutcome.FOUND, [WORKS])
        assert (found.rows[0].entry, found.rows[0].likeness) == (saved, 1.0)
    for asked in ("Ravi | works in | ?", "? | works in | Dana"):
        assert store.sheet.read(query(asked), ANN) == LookupResult(LookupOutcome.NOTHING)


def test_written_name_is_the_only_one(store: Store) -> None:
    store.sheet.profile = EDIT
    for said in (WORKS, "Dana Roy | works in | Goa", "Dana | employed in | the city"):
        store.memory.remember(fact(said, said), ANN)
    assert lines(store.sheet.read(query("Dana Roy | works in | ?"), ANN)) == ["Dana Roy | works in | Goa"]
    assert lines(store.sheet.read(query("Dana | employed in | ?"), ANN)) == ["Dana | employed in | the city"]
    assert lines(store.sheet.read(query("Dana | sits in | ?"), ANN)) == [WORKS]


def test_too_many_and_too_wide_are_not_told(store: Store) -> None:
    many = [f"Pune | is home of | person {number}" for number in range(MOST_FOUND + 1)]
    store.memory.remember(fact("many live in Pune", *many), ANN)
    store.memory.remember(fact("some live in Goa", *(one.replace("Pune", "Goa") for one in many[1:])), ANN)
    store.memory.remember(fact("Goa is the religion", "Ravi | religion | Goa"), ANN)
    assert store.sheet.read(query("Pune | is home of | ?"), ANN) == LookupResult(LookupOutcome.TOO_MANY)
    assert len(store.sheet.read(query("Goa | is home of | ?"), ANN).rows) == MOST_FOUND
    assert store.sheet.read(query("? | Religion | Goa"), ANN) == LookupResult(LookupOutcome.TOO_WIDE)
    assert lines(store.sheet.read(query("Ravi | religion | ?"), ANN)) == ["Ravi | religion | Goa"]


def test_own_facts_come_before_shared_ones(store: Store) -> None:
    hers = store.memory.remember(fact("Dana works in Pune", WORKS), ANN)
    for asked in ("Dana | works in | ?", "Dana Roy | works in | ?"):
        assert store.sheet.read(query(asked), BOB).outcome is LookupOutcome.NOTHING
    assert not store.sheet.has_any(BOB)
    sharing = store.sharing(RULES)
    sharing.accept(sharing.offer(hers.id, ANN).id, sharing.curator(CURATOR))
    store.memory.remember(fact("Dana works in Goa", "Dana | works in | Goa"), BOB)
    for asked in ("Dana | works in | ?", "Dana Roy | works in | ?"):
        found = store.sheet.read(query(asked), BOB)
        assert [(row.triple.object, row.entry.shared) for row in found.rows] == [("Goa", False), ("Pune", True)]
        assert [row.entry.owner for row in store.sheet.read(query(asked), ANN).rows] == ["ann"], "the same is said once"
    sharing.withdraw(hers.id, ANN)
    assert [row.triple.object for row in store.sheet.read(query("Dana Roy | works in | ?"), BOB).rows] == ["Goa"]


def test_paused_and_bound_facts_are_not_told(store: Store) -> None:
    saved = store.memory.remember(fact("Dana works in Pune", WORKS), ANN)
    store.memory.remember(fact("Ravi works here", "Ravi | works in | Goa", only_in="c"), ANN)
    store.memory.pause(saved.id, ANN)
    assert store.sheet.read(query("Dana | works in | ?"), ANN).outcome is LookupOutcome.NOTHING
    store.memory.resume(saved.id, ANN)
    assert store.sheet.read(query("Dana | works in | ?"), ANN).outcome is LookupOutcome.FOUND
    bound = query("Ravi | works in | ?")
    assert store.sheet.read(bound, ANN, "c").outcome is LookupOutcome.FOUND
    assert store.sheet.read(bound, ANN, "d") == store.sheet.read(bound, ANN) == LookupResult(LookupOutcome.NOTHING)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entity=COSINE, relation=COSINE, least=st.builds(Profile, COSINE, COSINE, COSINE))
def test_all_three_thresholds_decide(store: Store, entity: float, relation: float, least: Profile) -> None:
    mean = (entity + relation) / 2
    if min(abs(entity - least.entity), abs(relation - least.relation), abs(mean - least.mean)) < 1e-3:
        return
    store.memory.remember(fact("Dana works in Pune", WORKS), ANN)
    store.indexer.catch_up()
    store.recall.vectors._embedder = SimilarWordsEmbedder({"asked": ("Dana", entity), "so": ("works in", relation)})
    found = replace(store.sheet, profile=least).read(query("asked | so | ?"), ANN)
    is_found = entity > least.entity and relation > least.relation and mean > least.mean
    assert [row.likeness for row in found.rows] == [pytest.approx(mean, abs=1e-3)] * is_found
