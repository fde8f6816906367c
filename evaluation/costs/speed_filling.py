"""A store with as many keys as are wanted, for measuring how long searching takes.

Vectors are made cheaply, a little way off the real vectors of some thousand questions: embedding a million texts would
take an hour, and only the time of searching counts. What is found by meaning in such a store is of no interest; the
question that is asked is embedded as always.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from assistant.kinds import CLARIFICATION, Clarification
from assistant.ports import Embedder
from assistant.settings import Settings
from assistant.types import Draft, Key, KeyOrigin, Scope
from evaluation.costs.synthetic import questions
from memory_store.embedding.embedder import for_memory
from memory_store.language.word_translation import READINGS
from memory_store.ledger.database.schema import SHARED, entries, keys
from memory_store.ledger.rows import checksum
from memory_store.store import Store, open_store

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASKER = Scope("asker")
KEYS_PER_ENTRY = 8  # a question, what rules make of it, and what a model writes
_CURATOR = Scope("curator")
_PER_PERSON = 1_000
_PER_COMMIT = 4_000  # entries
_CENTRES = 2_000
_NOISE = 0.5  # length of what is added to a vector of length 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Whose the keys are."""

    name: str
    own: int  # keys of the person who asks
    shared: int  # keys that everyone may read
    others: int  # keys of other people, a thousand each

    @property
    def keys(self) -> int:
        return self.own + self.shared + self.others


def all_own(number: int) -> Layout:
    return Layout("own", number, 0, 0)


def among_others(number: int) -> Layout:
    """The asker has 1,000 keys, 1,000 are shared (fewer where there are fewer), and the rest is other people's."""
    few = min(_PER_PERSON, number // 2)
    return Layout("among others", few, few, number - 2 * few)


class CheapVectors:
    """An embedder in the place of a real one while the index is filled: quick, repeatable, vectors like real ones.

    The real one is asked for the vectors of `centres` only.
    """

    def __init__(self, embedder: Embedder, centres: Sequence[str]) -> None:
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension
        self._centres = embedder.encode(centres)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension); the same text in the same batch has the same vector."""
        hashes = [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]
        noise = np.random.default_rng(hashes).standard_normal((len(texts), self.dimension), dtype=np.float32)
        noise *= _NOISE / np.sqrt(self.dimension)
        vectors = self._centres[[number % len(self._centres) for number in hashes]] + noise
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def fill(settings: Settings, layout: Layout, embedder: Embedder | None, seed: int) -> None:
    """Make the store of these settings, with its index.

    Raises:
        StoreError: it cannot be written.
    """
    texts = questions(seed)
    reader = for_memory(embedder)
    cheap = None if reader is None else CheapVectors(reader, list(islice(questions(seed - 1), _CENTRES)))
    store = open_store(settings.ledger, settings.index, cheap, READINGS)
    try:
        _remember(store, layout.own, ASKER, texts)
        _share(store, _remember(store, layout.shared, _CURATOR, texts))
        for start in range(0, layout.others, _PER_PERSON):
            person = Scope(f"person {start // _PER_PERSON}")
            _remember(store, min(_PER_PERSON, layout.others - start), person, texts)
        store.indexer.rebuild()
    finally:
        store.close()


def _remember(store: Store, number: int, scope: Scope, texts: Iterator[str]) -> list[str]:
    """Save entries with so many keys in all; their ids."""
    saved: list[str] = []
    left = number
    while left:
        drafts: list[Draft] = []
        while left and len(drafts) < _PER_COMMIT:
            count = min(KEYS_PER_ENTRY, left)
            drafts.append(_draft(list(islice(texts, count)), scope, number - left))
            left -= count
        saved += [entry.id for entry in store.memory.remember_all(drafts, scope)]
    return saved


def _draft(found_under: Sequence[str], scope: Scope, number: int) -> Draft:
    # A number keeps the keys of an entry apart where two texts happen to be the same.
    question, *others = (
        f"{text} {place}" if text in found_under[:place] else text for place, text in enumerate(found_under)
    )
    further = tuple(Key(text, KeyOrigin.MODEL) for text in others)
    name = f"{scope.person} {number}"
    # No question is asked twice and nothing said twice, or the memory would make one entry of two.
    said = hashlib.sha256(name.encode()).hexdigest()[:16]
    body = Clarification(text=f"I meant {said}")
    return Draft(CLARIFICATION, f"{question} {number}", body, name, further_keys=further)


def _share(store: Store, ids: Sequence[str]) -> None:
    """What sharing does to the ledger; the index is built after it."""
    with store.ledger.write() as connection:
        for entry_id in ids:
            row = dict(connection.execute(entries.select().where(entries.c.id == entry_id)).mappings().one())
            key_rows = connection.execute(keys.select().where(keys.c.entry_id == entry_id).order_by(keys.c.position))
            row["scope"] = SHARED
            seal = checksum(row, key_rows.mappings().all())
            connection.execute(entries.update().where(entries.c.id == entry_id).values(scope=SHARED, checksum=seal))
