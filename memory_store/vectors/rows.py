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
from memory_store.ledger.indexed_keys import IndexedKey, indexed_keys
from memory_store.ledger.rows import Row as LedgerRow

if TYPE_CHECKING:
    import pyarrow

Row: TypeAlias = dict[str, Any]
"""Column to value. `text` is what an embedder reads, and in no table. Without a `vector`, that is zeros."""
Owner: TypeAlias = tuple[str, str]
"""Scope and owner of rows; what is shared has no owner."""

TEXTS = ("key_id", "entry_id", "owner", "scope", "part", "words")
"""Columns that hold texts; `sequence` and `vector` stand beside them."""
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
    return [_row(key, part_of(entry), entry.sequence) for entry in entries for key in indexed_keys(entry, readings)]


def rows_of_names(names: Iterable[LedgerRow]) -> list[Row]:
    """Return the rows of names, by those of the ledger, without vectors."""
    return [
        {
            "key_id": str(name["id"]),
            "entry_id": str(name["id"]),
            "owner": name["owner"],
            "scope": name["role"],
            "part": Part.NAME.value,
            "words": "",
            "sequence": name["id"],
            "text": name["text"],
        }
        for name in names
    ]


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


def schema(dimension: int) -> pyarrow.Schema:
    """Return the columns for vectors of a length. Without an embedder (0) there is one number, which is never given."""
    import pyarrow as pa

    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    fields += [pa.field("sequence", pa.int64(), nullable=False)]
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), dimension or 1))])


def arrow(rows: Sequence[Row], dimension: int) -> pyarrow.Table:
    """Return rows as LanceDB takes them."""
    import pyarrow as pa

    none = np.zeros(dimension or 1, np.float32)
    return pa.Table.from_pylist([{"vector": none, **row} for row in rows], schema=schema(dimension))


def _row(key: IndexedKey, part: Part, sequence: int) -> Row:
    named = {name: getattr(key, name) for name in ("key_id", "entry_id", "owner", "scope")}
    return {**named, "part": part.value, "words": key.normalised, "sequence": sequence, "text": key.text}
