"""Cache all rows of an owner, and search them by meaning: LanceDB takes four to nine times as long."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memory_store.arrays import Floats
from memory_store.vectors.rows import IndexPart, Row, to_arrow

if TYPE_CHECKING:
    import pyarrow

NEAREST = 64  # entries per part; 24, and 32 found by words, find no more (docs/decisions/0052)
_MOST_KEYS = 16  # rows assumed per entry when the best entries are taken from the best rows
_SHORTEST_MIDDLE = 0.2  # least length of a mean vector; only unrelated vectors have a shorter one


class NearestTexts(NamedTuple):
    """Texts and cosines of an entry, from the index."""

    words: Mapping[str, str]  # its folded texts by key id
    cosines: Mapping[str, float]  # of each text by key id, and of their mean vector by the entry's id


class CachedRows:
    """Immutable rows of one owner, sorted by entry; `replace` returns changed ones."""

    def __init__(self, table: pyarrow.Table) -> None:
        """Prepare rows of the index, sorted by entry."""
        # Combine chunks: each write adds one. A table without rows has none.
        self._table = table.combine_chunks() if len(table) else table.schema.empty_table()
        vectors = self._table["vector"].chunk(0)
        self._vectors: Floats = vectors.flatten().to_numpy().reshape(-1, vectors.type.list_size)
        parts = self._table["part"].to_numpy()
        self._of_part = [parts == part.value for part in IndexPart]
        entries = self._table["entry_id"].chunk(0).dictionary_encode()
        self._entry_ids: list[str] = entries.dictionary.to_pylist()
        self._entries = entries.indices.to_numpy()  # number of the entry of each row
        self._numbers = {entry_id: number for number, entry_id in enumerate(self._entry_ids)}
        self._starts = np.searchsorted(self._entries, range(len(self._entry_ids) + 1))  # of the rows of each entry

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
        found = (self._select_best(np.where(of_part, cosines, -1.0)) for of_part in self._of_part)
        return {self._entry_ids[number]: self._texts(number, cosines) for some in found for number in some}

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

    def _select_best(self, scores: Floats) -> list[int]:
        """Return the numbers of the entries of the rows with the highest scores of at least 0."""
        rows, looked = np.flatnonzero(scores >= 0), NEAREST * _MOST_KEYS
        if len(rows) > looked:
            rows = rows[np.argpartition(-scores[rows], looked - 1)[:looked]]
        nearest = self._entries[rows[np.argsort(-scores[rows], kind="stable")]]
        return list(dict.fromkeys(nearest.tolist()))[:NEAREST]

    def _texts(self, number: int, cosines: Floats) -> NearestTexts:
        """Return the folded texts of an entry and their cosines."""
        own = slice(*self._starts[number : number + 2].tolist())
        names, words = (self._table[column][own].to_pylist() for column in ("key_id", "words"))
        known = dict(zip(names, cosines[own].tolist(), strict=True))
        total = np.add.reduce(self._vectors[own])
        length = max(_SHORTEST_MIDDLE * len(names), math.sqrt(float(total @ total)))
        known[self._entry_ids[number]] = float(np.add.reduce(cosines[own])) / length
        return NearestTexts(dict(zip(names, words, strict=True)), known)
