"""What the index holds of entries: a row for each of their texts, with its vector where there is an embedder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from assistant.ports import Embedder
from assistant.types import Entry
from assistant.upkeep import Damage
from memory_store.index_table import PROGRESS, KeyRow, Vector
from memory_store.lookup import Readings, indexed_keys
from memory_store.packed_key import pack, unpack
from memory_store.schema import PRIVATE, SHARED

_ABOUT = 1e-3  # how far from 1 the length of a vector may be


def rows_of(found: Iterable[Entry], readings: Readings) -> list[KeyRow]:
    """The rows of entries, without vectors."""
    return [
        KeyRow(
            key_id=key.key_id,
            entry_id=entry.id,
            owner=entry.owner,
            scope=(scope := SHARED if entry.shared else PRIVATE),
            status=entry.status.value,
            english=key.english,
            packed=pack(key, scope),
            sequence=entry.sequence,
        )
        for entry in found
        for key in indexed_keys(entry, readings)
    ]


def with_vectors(rows: Sequence[KeyRow], embedder: Embedder) -> list[KeyRow]:
    """The rows with their vectors. Raises whatever the embedder raises."""
    vectors = embedder.encode([key.text for key, _ in unpack([row.packed for row in rows])])
    return [replace(row, vector=_usable(vector, embedder.dimension)) for row, vector in zip(rows, vectors, strict=True)]


def differences(indexed: Iterable[KeyRow], expected: Iterable[KeyRow]) -> Iterator[Damage]:
    """What in the index is not as the ledger says. What a vector says is not compared, only that it may be one.

    Args:
        indexed: all rows of the index.
        expected: all rows that the ledger asks for, without vectors.
    """
    seen: dict[str, bytes] = {}
    for row in indexed:
        if row.key_id in seen:
            yield Damage("index row", row.key_id, "it is there twice")
        if not _is_plausible(row.vector):
            yield Damage("index row", row.key_id, "its vector is none")
        seen[row.key_id] = _digest(row)
    for row in expected:
        digest = seen.pop(row.key_id, None)
        if digest is None:
            yield Damage("index row", row.key_id, "it is missing")
        elif digest != _digest(row):
            yield Damage("index row", row.key_id, "it is not what the ledger says")
    for key_id in seen.keys() - {PROGRESS}:
        yield Damage("index row", key_id, "the ledger knows no such text")


def _digest(row: KeyRow) -> bytes:
    return sha256(repr(replace(row, vector=None)).encode()).digest()


def _usable(vector: Vector, dimension: int) -> Vector | None:
    """The vector, if a cosine with it is a number."""
    import numpy as np

    right = vector.shape == (dimension,) and np.isfinite(vector).all() and vector.any()
    return vector if right else None


def _is_plausible(vector: Vector | None) -> bool:
    """Whether a vector is of length 1, as embedders write them; that finds what a flipped bit would change much."""
    import numpy as np

    return vector is None or bool(abs(np.linalg.norm(vector) - 1) < _ABOUT)
