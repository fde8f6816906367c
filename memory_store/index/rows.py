"""A row of the index: a text of an active entry, or a name in facts, as `IndexedKey` in memory, as columns on disk.

Rows are searched by the other columns; what a question is compared with is all in `packed`: LanceDB takes half a
millisecond for each column that a search brings, however few rows there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from assistant.ports import Embedder
from assistant.reports.upkeep import Damage
from assistant.types import Entry, Status
from memory_store.index.key_matrix import KeyMatrix
from memory_store.index.name_vectors import NameVectors
from memory_store.index.packed_keys import pack, unpack
from memory_store.language.terms import Floats
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import NameRole
from memory_store.ledger.indexed_keys import IndexedKey, indexed_keys, name_key
from memory_store.ledger.rows import Row as LedgerRow

if TYPE_CHECKING:
    import pyarrow

Row: TypeAlias = dict[str, Any]  # column to value. Without `vector`, no embedder has seen the text yet

PROGRESS = "progress"
"""Key id and status of the one row that is no key: its sequence number says how much of the ledger is in the table."""
MAKING = "making"
"""Status of the rows that say how far a table came that is being made, which are no keys either."""
_TEXTS = ("key_id", "entry_id", "owner", "scope", "status", "english", "packed")
_ABOUT = 1e-3  # how far from 1 the length of a vector may be


def schema(dimension: int) -> pyarrow.Schema:
    """The columns. Without an embedder (`dimension` 0) there is no vector."""
    import pyarrow as pa

    fields = [pa.field(name, pa.string(), nullable=False) for name in _TEXTS]
    fields.append(pa.field("sequence", pa.int64(), nullable=False))
    if dimension:
        fields.append(pa.field("vector", pa.list_(pa.float32(), dimension)))
    return pa.schema(fields)


def arrow(rows: Sequence[Row], dimension: int) -> pyarrow.Table:
    """Rows as LanceDB takes them."""
    import pyarrow as pa

    return pa.Table.from_pylist(list(rows), schema=schema(dimension))


def rows_of(found: Iterable[Entry], readings: Readings) -> list[Row]:
    """The rows of entries, without vectors."""
    return [_row(key, entry.sequence) for entry in found for key in indexed_keys(entry, readings)]


def rows_of_names(found: Iterable[LedgerRow]) -> list[Row]:
    """The rows of names, by those of the ledger, without vectors."""
    return [_row(name_key(name), name["id"]) for name in found]


def _row(key: IndexedKey, sequence: int) -> Row:
    """Of an active entry, or a name."""
    return {
        **{name: getattr(key, name) for name in ("key_id", "entry_id", "owner", "scope", "english")},
        "status": Status.ACTIVE.value,
        "packed": pack(key),
        "sequence": sequence,
    }


def progress_row(sequence: int) -> Row:
    """The row that says that all changes up to `sequence` are in the table."""
    return bare_row(PROGRESS, PROGRESS, sequence)


def bare_row(key_id: str, status: str, sequence: int) -> Row:
    """A row that is no key."""
    return dict.fromkeys(_TEXTS, "") | {"key_id": key_id, "status": status, "sequence": sequence}


def with_vectors(rows: Sequence[Row], embedder: Embedder) -> list[Row]:
    """The rows with their vectors, where a cosine with those is a number. Raises whatever the embedder raises."""
    vectors = embedder.encode([key.text for key in unpack(_packed(rows))])
    return [
        row | {"vector": vector} if is_usable(vector, embedder.dimension) else row
        for row, vector in zip(rows, vectors, strict=True)
    ]


def read_rows(batch: pyarrow.RecordBatch, dimension: int) -> Iterator[Row]:
    """Rows as they come back from the table."""
    rows = batch.select([name for name in batch.schema.names if name != "vector"]).to_pylist()
    if not dimension:
        return iter(rows)
    waiting = batch["vector"].is_null().to_pylist()
    vectors = vectors_of(batch["vector"], dimension)
    return (
        row if waits else row | {"vector": vector} for row, waits, vector in zip(rows, waiting, vectors, strict=True)
    )


def vectors_of(column: pyarrow.FixedSizeListArray, dimension: int) -> Floats:
    """Shape (rows, dimension); NaN where a row has no vector yet. It may be the memory of the column."""
    if not column.null_count:
        return cast("Floats", column.flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension))
    waiting = column.is_null().to_numpy(zero_copy_only=False)
    vectors = np.full((len(column), dimension), np.nan, dtype=np.float32)
    # Null rows may or may not take up room in the values below, so only the others are read.
    vectors[~waiting] = column.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension)
    return vectors


def matrix_of(rows: Sequence[Row], dimension: int) -> KeyMatrix | NameVectors:
    """Rows of one owner as they are compared: of entries, or of names. `dimension` is 0 without an embedder."""
    unknown = np.full(dimension, np.nan, dtype=np.float32)
    vectors = np.array([row.get("vector", unknown) for row in rows], dtype=np.float32) if dimension else None
    if vectors is not None and rows[0]["scope"] in set(NameRole):
        return NameVectors(np.array([int(row["key_id"]) for row in rows]), vectors)
    return KeyMatrix(unpack(_packed(rows)), vectors)


def differences(indexed: Iterable[Row], expected: Iterable[Row]) -> Iterator[Damage]:
    """What of all rows of the index is not as the ledger says. Of a vector, only that it may be one is looked at."""
    seen: dict[str, bytes] = {}
    for row in indexed:
        key_id = row["key_id"]
        if key_id in seen:
            yield Damage("index row", key_id, "it is there twice")
        # Embedders write vectors of length 1; a flipped bit changes that, where it changes much.
        if "vector" in row and not np.isclose(np.linalg.norm(row["vector"]), 1, rtol=0, atol=_ABOUT):
            yield Damage("index row", key_id, "its vector is none")
        seen[key_id] = _digest(row)
    for row in expected:
        digest = seen.pop(row["key_id"], None)
        if digest is None:
            yield Damage("index row", row["key_id"], "it is missing")
        elif digest != _digest(row):
            yield Damage("index row", row["key_id"], "it is not what the ledger says")
    for key_id in seen.keys() - {PROGRESS}:
        yield Damage("index row", key_id, "the ledger knows no such text")


def is_usable(vector: Floats, dimension: int) -> bool:
    """Whether a cosine with the vector is a number."""
    return bool(vector.shape == (dimension,) and np.isfinite(vector).all() and vector.any())


def _packed(rows: Sequence[Row]) -> list[bytes]:
    return [row["packed"].encode() for row in rows]


def _digest(row: Row) -> bytes:
    return sha256(repr([row[name] for name in (*_TEXTS, "sequence")]).encode()).digest()
