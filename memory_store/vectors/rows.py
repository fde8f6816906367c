"""Make rows of the vector index: one per text of an active entry, and one per name in facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assistant.kinds import Fact
from assistant.ports import Embedder
from assistant.types import Entry
from memory_store.arrays import Floats
from memory_store.language.normalize import fold_name
from memory_store.ledger.database.schema import SHARED, NameRole
from memory_store.ledger.indexed_keys import indexed_keys

if TYPE_CHECKING:
    import pyarrow

Row: TypeAlias = dict[str, Any]
"""Columns by name, and `text` for the embedder. Other keys are not stored; a missing `vector` is stored as zeros."""
Owner: TypeAlias = tuple[str, str]
"""Scope and owner of rows; shared rows have no owner."""

TEXTS = ("key_id", "entry_id", "owner", "scope", "part", "words")
"""Columns beside `vector`."""


class IndexPart(StrEnum):
    """Part of the index that an entry is searched in; each part has its own limits."""

    SAID = "said"  # a question with feedback
    UNSAID = "unsaid"  # a question without feedback, such as an example
    ASSERTED = "asserted"  # a fact
    NAME = "name"  # of a thing or relation in a triple


def part_of(entry: Entry) -> IndexPart:
    """Return the part of the index for an entry."""
    if entry.kind.asserts:
        return IndexPart.ASSERTED
    return IndexPart.SAID if entry.text else IndexPart.UNSAID


def build_rows(entries: Iterable[Entry]) -> list[Row]:
    """Return the rows of entries, without vectors."""
    return [key._asdict() | {"part": part_of(entry).value} for entry in entries for key in indexed_keys(entry)]


def build_name_rows(entries: Iterable[Entry]) -> list[Row]:
    """Return the rows of the names in the triples of facts, with folded names as words, without vectors."""
    facts = [(entry, entry.body) for entry in entries if isinstance(entry.body, Fact) and not entry.body.denied]
    return [
        {"key_id": f"{entry.id}/{position}/{side}", "entry_id": entry.id, "owner": entry.owner}
        | {"scope": (NameRole.RELATION if side == "relation" else NameRole.ENTITY).value}
        | {"part": IndexPart.NAME.value, "words": fold_name(name), "text": name}
        for entry, fact in facts
        for position, triple in enumerate(fact.triples)
        for side, name in triple.model_dump().items()
    ]


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
    """Return an Arrow table of rows, with zeros for missing vectors."""
    import pyarrow as pa

    none = np.zeros(dimension, np.float32)
    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    columns = pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), len(none)))])
    return pa.Table.from_pylist([{"vector": none, **row} for row in rows], schema=columns)
