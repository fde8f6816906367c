"""Rows of the vector index: one per text of an active entry, and one per name in facts; made here, and as Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assistant.ports import Embedder
from assistant.types import Entry
from memory_store.arrays import Floats
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import SHARED
from memory_store.ledger.indexed_keys import indexed_keys
from memory_store.ledger.rows import Row as LedgerRow

if TYPE_CHECKING:
    import pyarrow

Row: TypeAlias = dict[str, Any]
"""Column to value, and more that is in no table, such as the `text` that an embedder reads. No `vector` is zeros."""
Owner: TypeAlias = tuple[str, str]
"""Scope and owner of rows; what is shared has no owner."""

TEXTS = ("key_id", "entry_id", "owner", "scope", "part", "words")
"""Columns beside `vector`."""
HELD = ["key_id", "entry_id", "part", "words", "vector"]
"""Columns that searches need of rows whose owner is known."""


class Part(StrEnum):
    """What an entry is searched as, so that none takes the room of another."""

    SAID = "said"  # a person said something of a question
    UNSAID = "unsaid"  # a question with nothing beside it, as an example
    ASSERTED = "asserted"  # what is so, whatever was asked
    NAME = "name"  # of no entry, but of a thing or a relation


def part_of(entry: Entry) -> Part:
    """Return what an entry is searched as."""
    if entry.kind.asserts:
        return Part.ASSERTED
    return Part.SAID if entry.text else Part.UNSAID


def rows_of(entries: Iterable[Entry], readings: Readings) -> list[Row]:
    """Return the rows of entries, without vectors."""
    return [
        key._asdict() | {"part": part_of(entry).value, "words": key.normalised}
        for entry in entries
        for key in indexed_keys(entry, readings)
    ]


def rows_of_names(names: Iterable[LedgerRow]) -> list[Row]:
    """Return the rows of names, by those of the ledger, without vectors."""
    rows = []
    for name in names:
        name_id = str(name["id"])
        own = {"key_id": name_id, "entry_id": name_id, "scope": name["role"], "part": Part.NAME.value, "words": ""}
        rows.append(own | {"owner": name["owner"], "text": name["text"]})
    return rows


def owner_of(row: Row) -> Owner:
    """Return whose a row is."""
    return row["scope"], "" if row["scope"] == SHARED else row["owner"]


def by_owner(rows: Iterable[Row]) -> list[tuple[Owner, list[Row]]]:
    """Return each owner with their rows."""
    return [(owner, list(some)) for owner, some in groupby(sorted(rows, key=owner_of), owner_of)]


def with_vectors(rows: Sequence[Row], embedder: Embedder) -> list[Row]:
    """Return the rows with their vectors. Raises what the embedder raises, and ValueError for what is no vector."""
    if not rows:
        return []
    vectors = embedder.encode([row["text"] for row in rows])
    if vectors.shape != (len(rows), embedder.dimension) or not np.isfinite(vectors).all():
        raise ValueError("The embedder gives what is no vector.")
    return [row | {"vector": vector} for row, vector in zip(rows, vectors, strict=True)]


def is_usable(vector: Floats, dimension: int) -> bool:
    """Return True if a cosine with the vector is a number."""
    return bool(vector.shape == (dimension,) and np.isfinite(vector).all() and vector.any())


def arrow(rows: Sequence[Row], dimension: int) -> pyarrow.Table:
    """Return rows as LanceDB takes them, with vectors of a length."""
    import pyarrow as pa

    none = np.zeros(dimension, np.float32)
    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    columns = pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), len(none)))])
    return pa.Table.from_pylist([{"vector": none, **row} for row in rows], schema=columns)
