"""Rows of the index in memory, by owner: the one cache of searches. A write changes what it touches, and no more."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_store.arrays import Floats, Places
from memory_store.vectors.rows import Owner, Part, Row

MOST_ROWS = 50_000
"""Rows of one owner that are held, 1.5 kB each; beyond them LanceDB searches its own index of vectors."""
_MOST_HELD = 2 * MOST_ROWS  # rows of all owners
_PARTS = tuple(Part)
_GONE = -1  # in the place of a part
_SHORTEST_MIDDLE = 0.2  # length of a mean; it is shorter only of vectors that have nothing in common

Revision: TypeAlias = tuple[str, int]
"""Name of a table, and its version."""


@dataclass(frozen=True)
class Rows:
    """Rows of one owner, entry by entry. `vectors` has shape (rows, dimension); NaN where a row has none yet."""

    entry_ids: Sequence[str]
    starts: Places  # where the rows of each entry begin, and where the last ones end
    parts: NDArray[np.int8]  # of each entry
    key_ids: Sequence[str]
    vectors: Floats

    @classmethod
    def of(cls, entry_ids: Sequence[str], parts: Sequence[str], key_ids: Sequence[str], vectors: Floats) -> Rows:
        """Put rows in the order of their entries; the arguments have one value per row."""
        numbers: dict[str, int] = {}
        entry_of = np.array([numbers.setdefault(entry_id, len(numbers)) for entry_id in entry_ids], np.int64)
        order = np.argsort(entry_of, kind="stable")
        starts = np.append(0, np.cumsum(np.bincount(entry_of, minlength=len(numbers)))).astype(np.int64)
        by_row = [_PARTS.index(Part(part)) for part in parts]
        first = np.array([by_row[place] for place in order[starts[:-1]].tolist()], np.int8)
        is_sorted = bool((np.diff(entry_of) >= 0).all())
        sorted_keys = key_ids if is_sorted else [key_ids[place] for place in order.tolist()]
        return cls([*numbers], starts, first, sorted_keys, vectors if is_sorted else vectors[order])

    @classmethod
    def of_rows(cls, rows: Sequence[Row], dimension: int) -> Rows:
        """Take some rows as they are written."""
        unknown = np.full(dimension, np.nan, dtype=np.float32)
        entry_ids, parts, key_ids = ([row[name] for row in rows] for name in ("entry_id", "part", "key_id"))
        return cls.of(entry_ids, parts, key_ids, np.array([row.get("vector", unknown) for row in rows], np.float32))

    def __len__(self) -> int:
        return len(self.key_ids)

    @property
    def is_found(self) -> NDArray[np.bool_]:
        """Whether each entry is found."""
        found: NDArray[np.bool_] = self.parts != _GONE
        return found

    @cached_property
    def found(self) -> int:
        """Number of rows that are found."""
        return int(np.diff(self.starts)[self.is_found].sum())

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {entry_id: place for place, entry_id in enumerate(self.entry_ids)}

    def without(self, entry_ids: Collection[str]) -> Rows:
        """Return the same rows, in which these entries are found no more."""
        places = [self._places[entry_id] for entry_id in entry_ids if entry_id in self._places]
        if not places:
            return self
        parts = self.parts.copy()
        parts[places] = _GONE
        return replace(self, parts=parts)

    def joined(self, later: Rows) -> Rows:
        """Return what is found in these rows and in later ones, and nothing else."""
        both = []
        for each in (self, later):
            kept = each.is_found
            rows = np.repeat(kept, np.diff(each.starts))
            ids = [entry_id for entry_id, stays in zip(each.entry_ids, kept.tolist(), strict=True) if stays]
            keys = [key_id for key_id, stays in zip(each.key_ids, rows.tolist(), strict=True) if stays]
            both.append((ids, np.diff(each.starts)[kept], each.parts[kept], keys, each.vectors[rows]))
        (ids, sizes, parts, keys, vectors), (more_ids, more_sizes, more_parts, more_keys, more_vectors) = both
        starts = np.append(0, np.cumsum(np.concatenate([sizes, more_sizes]))).astype(np.int64)
        together = np.concatenate([parts, more_parts])
        return Rows([*ids, *more_ids], starts, together, [*keys, *more_keys], np.concatenate([vectors, more_vectors]))

    def cosines(self, vector: Floats | None) -> Floats:
        """Return the cosine of a vector with that of each row, at least 0; NaN where either is unknown."""
        if vector is None or not self.vectors.size:
            return np.full(len(self.key_ids), np.nan, dtype=np.float32)
        # `@` would use every core, and wait for each: twenty times slower as soon as another job holds one of them.
        found: Floats = np.vecdot(self.vectors, vector)
        return np.maximum(found, 0.0, out=found)

    def nearest(self, cosines: Floats, most: int) -> list[int]:
        """Return the places of the entries with the largest cosine, at most so many of each part."""
        if not len(self.entry_ids) or bool(np.isnan(cosines).all()):
            return []
        best = np.fmax.reduceat(cosines, self.starts[:-1])
        best = np.where(np.isnan(best), -1.0, best)
        places: list[int] = []
        for part in range(len(_PARTS)):
            of_part = np.flatnonzero(self.parts == part)
            if len(of_part) > most:
                of_part = of_part[np.argpartition(-best[of_part], most - 1)[:most]]
            places += of_part.tolist()
        return places

    def places_of(self, entry_ids: Collection[str]) -> list[int]:
        """Return the places of those of the entries that are found here."""
        places = (self._places[entry_id] for entry_id in entry_ids if entry_id in self._places)
        return [place for place in places if self.parts[place] != _GONE]

    def of_entry(self, place: int, cosines: Floats) -> dict[str, float]:
        """Return the cosine of each row of an entry by its key id, and that of their middle by the id of the entry."""
        rows = slice(*self.starts[place : place + 2].tolist())
        middle = cosine_of_middle(self.vectors[rows], cosines[rows])
        return {**dict(zip(self.key_ids[rows], cosines[rows].tolist(), strict=True)), self.entry_ids[place]: middle}


def cosine_of_middle(vectors: Floats, cosines: Floats) -> float:
    """Return the cosine of a vector with the mean of others, of which it has these cosines; NaN where one is unknown.

    `vectors` has shape (rows, dimension), each row of length 1.
    """
    total = np.add.reduce(vectors)
    return float(np.add.reduce(cosines)) / max(_SHORTEST_MIDDLE * len(vectors), math.sqrt(float(total @ total)))


class RowCache:
    """Rows of the owners that were asked for last, at one version of a table. None stands for too many to hold."""

    def __init__(self) -> None:
        self._revision: Revision = ("", -1)
        self._held: OrderedDict[Owner, tuple[Rows, ...] | None] = OrderedDict()
        self._lock = threading.Lock()

    def rows(self, revision: Revision, owner: Owner, load: Callable[[], Rows | None]) -> tuple[Rows, ...] | None:
        """Return the rows of an owner, by `load` where none are held."""
        with self._lock:
            if revision != self._revision:  # another process wrote
                self._held.clear()
                self._revision = revision
            if owner in self._held:
                self._held.move_to_end(owner)
                return self._held[owner]
        loaded = load()
        found = None if loaded is None else (loaded,)
        with self._lock:
            if revision == self._revision:
                self._held[owner] = found
                while len(self._held) > 1 and sum(map(_size, self._held.values())) > _MOST_HELD:
                    self._held.popitem(last=False)
        return found

    def changed(
        self,
        before: Revision,
        after: Revision,
        entry_ids: Collection[str] = (),
        added: Mapping[Owner, Rows] = MappingProxyType({}),
    ) -> None:
        """Follow a write of this process, which put what is `added` in the place of all rows of these entries."""
        with self._lock:
            if self._revision != before:
                return
            self._revision = after
            for owner, held in [*self._held.items()]:
                if held is not None and entry_ids:
                    self._held[owner] = _grown(held, entry_ids, added.get(owner))

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()


def _size(held: tuple[Rows, ...] | None) -> int:
    return sum(map(len, held or ()))


def _grown(held: tuple[Rows, ...], entry_ids: Collection[str], added: Rows | None) -> tuple[Rows, ...] | None:
    """Add rows to a small part behind a large one, which are joined once the small one is a quarter of the other."""
    large, *small = [rows.without(entry_ids) for rows in held]
    if added is not None:
        small = [small[0].joined(added)] if small else [added]
    if small and len(small[0]) * 4 > len(large):
        large, small = large.joined(small[0]), []
    if len(large) > 2 * large.found:  # so that no more than twice of what is found is ever held
        large = large.joined(large.without(large.entry_ids))
    grown = (large, *small)
    return None if _size(grown) > MOST_ROWS else grown
