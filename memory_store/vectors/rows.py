"""Make, cache and search rows of the vector index: one per text of an active entry, and one per name in facts.

The rows of a user are searched in a cache in memory: LanceDB takes four to nine times as long.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assistant.kinds import Fact
from assistant.ports import Embedder
from assistant.types import Entry
from memory_store.arrays import Floats, Places
from memory_store.language.letters import measure_letters
from memory_store.language.normalize import fold_name
from memory_store.ledger.database.schema import SHARED, NameRole
from memory_store.ledger.indexed_keys import indexed_keys

if TYPE_CHECKING:
    import pyarrow

Row: TypeAlias = dict[str, Any]
"""Columns by name, and `text` for the embedder. Other keys are not stored; a missing number is stored as zero."""
Owner: TypeAlias = tuple[str, str]
"""Scope and owner of rows; shared rows have no owner."""

TEXTS = ("key_id", "entry_id", "owner", "scope", "part", "role", "words")
"""Columns other than `vector`. `length` is the length of `words` by `measure_letters`."""

NEAREST = 64  # entries per part; 24, and 32 found by words, find no more (docs/decisions/0052)
_MOST_KEYS = 16  # rows assumed per entry when the best entries are taken from the best rows
_SHORTEST_MIDDLE = 0.2  # least length of a mean vector; only unrelated vectors have a shorter one
COLUMNS = ("key_id", "role", "words", "length")
"""Of rows, in the order of the fields of `NearestTexts`."""


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
    rows = [key._asdict() | {"part": part_of(entry).value} for entry in entries for key in indexed_keys(entry)]
    lengths = measure_letters([row["words"] for row in rows]).tolist()
    return [row | {"length": length} for row, length in zip(rows, lengths, strict=True)]


def build_name_rows(entries: Iterable[Entry]) -> list[Row]:
    """Return the rows of the names in the triples of facts, with folded names as words, without vectors."""
    facts = [(entry, entry.body) for entry in entries if isinstance(entry.body, Fact) and not entry.body.denied]
    return [
        {"key_id": f"{entry.id}/{position}/{side}", "entry_id": entry.id, "owner": entry.owner}
        | {"scope": (NameRole.RELATION if side == "relation" else NameRole.ENTITY).value}
        | {"part": IndexPart.NAME.value, "role": "", "words": fold_name(name), "text": name}
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
    """Return an Arrow table of rows, with zeros for missing numbers."""
    import pyarrow as pa

    none = np.zeros(dimension, np.float32)
    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    numbers = [pa.field("length", pa.float32()), pa.field("vector", pa.list_(pa.float32(), len(none)))]
    columns = pa.schema([*fields, *numbers])
    return pa.Table.from_pylist([{"length": 0.0, "vector": none, **row} for row in rows], schema=columns)


class NearestTexts(NamedTuple):
    """Texts of an entry, from the index or the ledger, in columns; `cosines` is empty if they are unknown."""

    part: str
    key_ids: Sequence[str]
    roles: Sequence[str]
    words: Sequence[str]
    lengths: Sequence[float]
    cosines: Sequence[float] = ()
    vectors: Floats | None = None
    is_shared: bool = False

    def middle(self) -> float:
        """Return the cosine of the mean vector of all texts; 0 if it is unknown."""
        if self.vectors is None:
            return 0.0
        total = np.add.reduce(self.vectors)
        return sum(self.cosines) / max(_SHORTEST_MIDDLE * len(self.cosines), math.sqrt(float(total @ total)))


class CachedRows:
    """Immutable rows of one owner, sorted by entry; `replace` returns changed ones."""

    def __init__(self, table: pyarrow.Table) -> None:
        """Prepare rows of the index, sorted by entry."""
        # Combine chunks: each write adds one. A table without rows has none.
        self._table = table.combine_chunks() if len(table) else table.schema.empty_table()
        vectors = self._table["vector"].chunk(0)
        self._vectors: Floats = vectors.flatten().to_numpy().reshape(-1, vectors.type.list_size)
        parts = self._table["part"].to_numpy()
        found = {part.value: np.flatnonzero(parts == part.value) for part in IndexPart}
        self._of_part = {part: rows for part, rows in found.items() if len(rows)}
        entries = self._table["entry_id"].chunk(0).dictionary_encode()
        self._entry_ids: list[str] = entries.dictionary.to_pylist()
        self._entries = entries.indices.to_numpy()  # number of the entry of each row
        self._numbers = {entry_id: number for number, entry_id in enumerate(self._entry_ids)}
        self._starts = np.searchsorted(self._entries, range(len(self._entry_ids)))  # of the rows of each entry
        self._sizes = np.bincount(self._entries, minlength=len(self._entry_ids))

    def __len__(self) -> int:
        return len(self._vectors)

    def replace(self, entry_ids: Collection[str], added: Sequence[Row]) -> CachedRows:
        """Return the rows without the rows of some entries, plus `added`, which is sorted by entry."""
        import pyarrow as pa

        gone = [self._numbers[entry_id] for entry_id in entry_ids if entry_id in self._numbers]
        if not gone and not added:
            return self
        remaining = self._table.filter(pa.array(np.isin(self._entries, gone, invert=True)))
        return CachedRows(pa.concat_tables([remaining, to_arrow(added, self._vectors.shape[1])]))

    def search(self, vector: Floats) -> dict[str, NearestTexts]:
        """Return the entries of each part that are nearest to a vector."""
        cosines = self._cosines(vector)
        found = {part: self._select_best(rows, cosines) for part, rows in self._of_part.items()}
        return {name: near for part, some in found.items() for name, near in self._read(part, some, cosines)}

    def within(self, vector: Floats, least: float) -> dict[str, float]:
        """Return the words of the rows whose cosine is at least `least`, with their highest cosine."""
        cosines = self._cosines(vector)
        rows = np.flatnonzero(cosines >= least)
        rows = rows[np.argsort(cosines[rows])]
        return dict(zip(self._table["words"].take(rows).to_pylist(), cosines[rows].tolist(), strict=True))

    def _cosines(self, vector: Floats) -> Floats:
        # `@` uses every core and waits for all: twenty times slower as soon as another job holds one.
        found: Floats = np.vecdot(self._vectors, vector)
        return np.maximum(found, 0.0, out=found)

    def _select_best(self, rows: Places, cosines: Floats) -> list[int]:
        """Return the numbers of the entries whose rows have the highest cosines among `rows`."""
        looked = NEAREST * _MOST_KEYS
        if len(rows) > looked:
            rows = rows[np.argpartition(-cosines[rows], looked - 1)[:looked]]
        nearest = self._entries[rows[np.argsort(-cosines[rows], kind="stable")]]
        return list(dict.fromkeys(nearest.tolist()))[:NEAREST]

    def _read(self, part: str, numbers: Sequence[int], cosines: Floats) -> Iterator[tuple[str, NearestTexts]]:
        """Yield the ids and texts of some entries of a part."""
        starts, sizes = self._starts[numbers], self._sizes[numbers]
        firsts = np.cumsum(sizes) - sizes
        rows = np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())
        columns = [*self._table.select(COLUMNS).take(rows).to_pydict().values(), cosines[rows].tolist()]
        for number, start, first, size in np.stack([numbers, starts, firsts, sizes], axis=1).tolist():
            key_ids, roles, words, lengths, own = (column[first : first + size] for column in columns)
            vectors = self._vectors[start : start + size]
            yield self._entry_ids[number], NearestTexts(part, key_ids, roles, words, lengths, own, vectors)
