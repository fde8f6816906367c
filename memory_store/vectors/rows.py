"""Make rows of the vector index: one per text of an active entry, and one per name in facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assistant.ports import Embedder
from assistant.types import Entry
from memory_store.arrays import Floats
from memory_store.language.letters import measure_letters
from memory_store.ledger.database.schema import SHARED
from memory_store.ledger.indexed_keys import indexed_keys
from memory_store.ledger.rows import Row as LedgerRow

if TYPE_CHECKING:
    import pyarrow

Row: TypeAlias = dict[str, Any]
"""Columns by name, and `text` for the embedder. Other keys are not stored; a missing number is stored as zero."""
Owner: TypeAlias = tuple[str, str]
"""Scope and owner of rows; shared rows have no owner."""

TEXTS = ("key_id", "entry_id", "owner", "scope", "part", "role", "words")
"""Columns beside `vector`, and `length`: that of `words` by `measure_letters`."""


class IndexPart(StrEnum):
    """Part of the index that an entry is searched in; each part has its own limits."""

    SAID = "said"  # a question with feedback
    UNSAID = "unsaid"  # a question without feedback, such as an example
    ASSERTED = "asserted"  # a fact
    NAME = "name"  # a thing or relation, not an entry


def part_of(entry: Entry) -> IndexPart:
    """Return the part of the index for an entry."""
    if entry.kind.asserts:
        return IndexPart.ASSERTED
    return IndexPart.SAID if entry.text else IndexPart.UNSAID


def build_rows(entries: Iterable[Entry]) -> list[Row]:
    """Return the rows of entries, without vectors."""
    rows = [key._asdict() | {"part": part_of(entry).value} for entry in entries for key in indexed_keys(entry)]
    lengths = measure_letters([row["words"] for row in rows]).tolist()
    return [row | {"length": length} for row, length in zip(rows, lengths, strict=True)]


def build_name_rows(names: Iterable[LedgerRow]) -> list[Row]:
    """Return the rows of names, given those of the ledger, without vectors."""
    of_name = {"part": IndexPart.NAME.value, "role": "", "words": ""}
    ids = ((str(name["id"]), name) for name in names)
    return [of_name | {"key_id": each, "entry_id": each, "scope": name["role"], **name} for each, name in ids]


def owner_of(row: Row) -> Owner:
    """Return the scope and owner of a row."""
    return row["scope"], "" if row["scope"] == SHARED else row["owner"]


def encode_texts(texts: Sequence[str], embedder: Embedder) -> Floats:
    """Return the vectors of texts. Raises any error of the embedder, and ValueError for invalid vectors."""
    vectors = embedder.encode(texts)
    if vectors.shape != (len(texts), embedder.dimension) or not np.isfinite(vectors).all():
        raise ValueError("The embedder returned invalid vectors.")
    return vectors


def to_arrow(rows: Sequence[Row], dimension: int) -> pyarrow.Table:
    """Return an Arrow table of rows, with zeros for missing numbers."""
    import pyarrow as pa

    none = np.zeros(dimension, np.float32)
    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    numbers = [pa.field("length", pa.float32()), pa.field("vector", pa.list_(pa.float32(), len(none)))]
    columns = pa.schema([*fields, *numbers])
    return pa.Table.from_pylist([{"length": 0.0, "vector": none, **row} for row in rows], schema=columns)
