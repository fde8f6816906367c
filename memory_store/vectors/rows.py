"""Rows of the vector index: one per text of an active entry, and one per name in facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np

from assistant.ports import Embedder
from assistant.reports.upkeep import Damage
from assistant.types import Entry
from memory_store.arrays import Floats
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import SHARED
from memory_store.ledger.indexed_keys import IndexedKey, TextRole, indexed_keys
from memory_store.ledger.rows import Row as LedgerRow

Row: TypeAlias = dict[str, Any]
"""Column to value. `text` is what an embedder reads, and in no table; without `vector`, none has read it yet."""
Owner: TypeAlias = tuple[str, str]
"""Scope and owner of rows; what is shared has no owner."""

TEXTS = ("key_id", "entry_id", "owner", "scope", "part", "words")
"""Columns that hold texts; `sequence` and `vector` stand beside them."""
_LENGTH_TOLERANCE = 1e-3  # how far from 1 the length of a vector may be


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


def with_vectors(rows: Sequence[Row], embedder: Embedder) -> list[Row]:
    """Return the rows with their vectors, where a cosine with those is a number. Raises what the embedder raises."""
    vectors = embedder.encode([row["text"] for row in rows])
    return [
        row | {"vector": vector} if is_usable(vector, embedder.dimension) else row
        for row, vector in zip(rows, vectors, strict=True)
    ]


def is_usable(vector: Floats, dimension: int) -> bool:
    """Return True if a cosine with the vector is a number."""
    return bool(vector.shape == (dimension,) and np.isfinite(vector).all() and vector.any())


def owner_of(row: Row) -> Owner:
    """Return whose a row is."""
    return row["scope"], "" if row["scope"] == SHARED else row["owner"]


def differences(found: Iterable[Row], expected: Iterable[Row]) -> Iterator[Damage]:
    """Yield where the rows of an index are not those that the ledger gives; of a vector, only its length is checked."""
    seen: dict[str, tuple[object, ...]] = {}
    for row in found:
        key_id = row["key_id"]
        if key_id in seen:
            yield Damage("index row", key_id, "it is there twice")
        # Embedders write vectors of length 1; a flipped bit changes that, where it changes much.
        if row.get("vector") is not None and abs(float(np.linalg.norm(row["vector"])) - 1) > _LENGTH_TOLERANCE:
            yield Damage("index row", key_id, "its vector is none")
        seen[key_id] = _compared(row)
    for row in expected:
        there = seen.pop(row["key_id"], None)
        if there is None:
            yield Damage("index row", row["key_id"], "it is missing")
        elif there != _compared(row):
            yield Damage("index row", row["key_id"], "it is not what the ledger says")
    for key_id in seen:
        yield Damage("index row", key_id, "the ledger knows no such text")


def _row(key: IndexedKey, part: Part, sequence: int) -> Row:
    # How a question was misunderstood is compared with questions, but nobody looks for it.
    words = "" if key.role is TextRole.WITH_MISREADING else key.normalised
    named = {name: getattr(key, name) for name in ("key_id", "entry_id", "owner", "scope")}
    return {**named, "part": part.value, "words": words, "sequence": sequence, "text": key.text}


def _compared(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in (*TEXTS, "sequence"))
