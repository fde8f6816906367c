"""Cache all rows of an owner, and search them by meaning: LanceDB takes four to nine times as long."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memory_store.arrays import Floats, Places
from memory_store.vectors.rows import IndexPart, Row, to_arrow

if TYPE_CHECKING:
    import pyarrow

NEAREST = 64  # entries per part; 24, and 32 found by words, find no more (docs/decisions/0052)
_MOST_KEYS = 16  # rows assumed per entry when the best entries are taken from the best rows
_SHORTEST_MIDDLE = 0.2  # least length of a mean vector; only unrelated vectors have a shorter one


COLUMNS = ("key_id", "role", "words", "length")
"""Of rows, in the order of the fields of `NearestTexts`."""


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
        self._of_part = {part.value: np.flatnonzero(parts == part.value) for part in IndexPart}
        entries = self._table["entry_id"].chunk(0).dictionary_encode()
        self._entry_ids: list[str] = entries.dictionary.to_pylist()
        self._entries = entries.indices.to_numpy()  # number of the entry of each row
        self._numbers = {entry_id: number for number, entry_id in enumerate(self._entry_ids)}
        self._starts = np.searchsorted(self._entries, range(len(self._entry_ids)))  # of the rows of each entry
        self._sizes = np.bincount(self._entries, minlength=len(self._entry_ids))

    def __len__(self) -> int:
        return len(self._vectors)

    def replace(self, entry_ids: Collection[str], added: Sequence[Row]) -> CachedRows:
        """Return the rows without those of some entries, plus `added`, which are sorted by entry."""
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
        return {name: near for part, some in found.items() if some for name, near in self._read(part, some, cosines)}

    def within(self, vector: Floats, least: float) -> dict[str, float]:
        """Return the entries with a row whose cosine is at least `least`, with that cosine."""
        cosines = self._cosines(vector)
        rows = np.flatnonzero(cosines >= least)
        return {self._entry_ids[self._entries[row]]: float(cosines[row]) for row in rows}

    def _cosines(self, vector: Floats) -> Floats:
        # `@` uses every core and waits for all: twenty times slower as soon as another job holds one.
        found: Floats = np.vecdot(self._vectors, vector)
        return np.maximum(found, 0.0, out=found)

    def _select_best(self, rows: Places, cosines: Floats) -> list[int]:
        """Return the numbers of the entries of those of the rows with the highest cosines."""
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
            texts = (column[first : first + size] for column in columns)
            yield self._entry_ids[number], NearestTexts(part, *texts, self._vectors[start : start + size])
