"""Rows of the index in memory, by owner: the one cache of searches. A write changes what it touches, and no more."""

from __future__ import annotations

import math
import threading
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_store.arrays import Codes, Floats, Places
from memory_store.vectors.rows import Owner, Part, vectors_of

if TYPE_CHECKING:
    import pyarrow

MOST_ROWS = 50_000
"""Rows of one owner that are held, 1.5 kB each; beyond them LanceDB searches its own index of vectors."""
_MOST_HELD = 2 * MOST_ROWS  # rows of all owners
_PARTS = tuple(Part)
_FEW = 100  # rows
_REPLACED = -1  # in the place of a part
_MOST_KEYS = 16  # rows that an entry is taken to have, where the nearest entries are looked for among the nearest rows
_SHORTEST_MIDDLE = 0.2  # length of a mean; it is shorter only of vectors that have nothing in common
# BM25 (Robertson and Zaragoza, 2009), with the usual constants; each word of a text counts once.
_SATURATION, _BY_LENGTH = 1.2, 0.75

Revision: TypeAlias = tuple[str, int]
"""Name of a table, and its version."""


@dataclass(frozen=True)
class Rows:
    """Rows of one owner. No write changes them: `replaced` returns others, which share their lists and the buffer."""

    entry_ids: list[str]  # at least one per row
    key_ids: list[str]
    places: Mapping[str, Sequence[int]]  # the rows of each entry
    parts: NDArray[np.int8]  # of each row; shape (rows,)
    buffer: Floats  # the vectors, and room for more; shape (at least rows, dimension)
    words: Codes  # hash of each word of each text
    word_rows: Places  # the row of each of these; same shape

    @classmethod
    def of(cls, rows: pyarrow.Table, dimension: int) -> Rows:
        """Return these rows of the index."""
        none = np.empty(0, np.int64)
        buffer = np.empty((0, dimension), np.float32)
        return cls([], [], {}, none.astype(np.int8), buffer, none.astype(np.uint32), none).replaced((), rows)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def are_mostly_replaced(self) -> bool:
        """Whether there are more rows that were replaced than others, and more than some."""
        left = sum(map(len, self.places.values()))
        return len(self) - left > max(left, _FEW)

    def replaced(self, entry_ids: Collection[str], added: pyarrow.Table | None) -> Rows:
        """Return the rows without those of some entries, and with others behind."""
        if added is None and self.places.keys().isdisjoint(entry_ids):
            return self
        names = ("entry_id", "key_id", "part", "words")
        entries, keys, new_parts, texts = (added[name].to_pylist() if added else [] for name in names)
        places, size, end = dict(self.places), len(self), len(self) + len(keys)
        parts = np.append(self.parts, np.array([_PARTS.index(Part(part)) for part in new_parts], np.int8))
        for entry_id in entry_ids:
            parts[list(places.pop(entry_id, ()))] = _REPLACED
        for place, entry_id in enumerate(entries, size):
            places[entry_id] = [*places.get(entry_id, ()), place]
        buffer = self.buffer
        if end > len(buffer):
            buffer = np.empty((end + end // 2, buffer.shape[1]), np.float32)
            buffer[:size] = self.buffer[:size]
        if added:
            buffer[size:end] = vectors_of(added["vector"], buffer.shape[1])
        hashes = [_hashes(text) for text in texts]
        words = np.append(self.words, np.array([code for text in hashes for code in text], np.uint32))
        rows = np.repeat(np.arange(size, end), [len(text) for text in hashes])
        self.entry_ids[size:], self.key_ids[size:] = entries, keys
        return Rows(self.entry_ids, self.key_ids, places, parts, buffer, words, np.append(self.word_rows, rows))

    def search(self, vector: Floats | None, worded: Collection[str], most: int) -> dict[str, dict[str, float]]:
        """Return the nearest entries, at most so many of each part, and those of `worded` that are here.

        Each with its cosines: of each row by key id, and of their middle by its own id; none without a vector.
        """
        here = dict.fromkeys(entry_id for entry_id in worded if entry_id in self.places)
        if vector is None:
            return {entry_id: {} for entry_id in here}
        cosines = self._cosines(vector)
        for part in range(len(_PARTS)):
            here |= dict.fromkeys(self._best(np.where(self.parts == part, cosines, -1.0), most))
        return {entry_id: self._of_entry(entry_id, cosines) for entry_id in here}

    def worded(self, words: str, most: int) -> list[str]:
        """Return the entries of each part whose texts share most with some words, at most so many."""
        scores = np.zeros(len(self), np.float32)
        for code in _hashes(words):
            rows = self.word_rows[self.words == code]
            scores[rows] += math.log1p((len(self) - len(rows) + 0.5) / (len(rows) + 0.5)) / self._discount[rows]
        found = (np.where((self.parts == part) & (scores > 0), scores, -1.0) for part in range(len(_PARTS)))
        return [entry_id for of_part in found for entry_id in self._best(of_part, most)]

    def within(self, vector: Floats, least: float) -> dict[str, float]:
        """Return the entries that have a row whose cosine is at least so much."""
        cosines = self._cosines(vector)
        rows = np.flatnonzero((self.parts != _REPLACED) & (cosines >= least))
        return {self.entry_ids[row]: float(cosines[row]) for row in rows.tolist()}

    def _cosines(self, vector: Floats) -> Floats:
        # `@` would use every core, and wait for each: twenty times slower as soon as another job holds one of them.
        found: Floats = np.vecdot(self.buffer[: len(self)], vector)
        return np.maximum(found, 0.0, out=found)

    def _best(self, scores: Floats, most: int) -> list[str]:
        """Return the entries of the rows with the largest scores of at least 0."""
        rows, looked = np.flatnonzero(scores >= 0), most * _MOST_KEYS
        if len(rows) > looked:
            rows = rows[np.argpartition(-scores[rows], looked - 1)[:looked]]
        nearest = rows[np.argsort(-scores[rows], kind="stable")].tolist()
        return [*dict.fromkeys(self.entry_ids[row] for row in nearest)][:most]

    def _of_entry(self, entry_id: str, cosines: Floats) -> dict[str, float]:
        places = list(self.places[entry_id])
        found = {self.key_ids[place]: float(cosines[place]) for place in places}
        return found | {entry_id: cosine_of_middle(self.buffer[places], cosines[places])}

    @cached_property
    def _discount(self) -> Floats:
        """How much less each word says in a longer text; shape (rows,)."""
        sizes = np.bincount(self.word_rows, minlength=len(self)).astype(np.float32)
        usual = max(1.0, len(self.word_rows) / max(1, len(self)))
        return 1 + _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * sizes / usual)


def cosine_of_middle(vectors: Floats, cosines: Floats) -> float:
    """Return the cosine of a vector with the mean of others, of which it has these cosines.

    `vectors` has shape (rows, dimension), each row of length 1.
    """
    total = np.add.reduce(vectors)
    return float(np.add.reduce(cosines)) / max(_SHORTEST_MIDDLE * len(vectors), math.sqrt(float(total @ total)))


def _hashes(text: str) -> list[int]:
    """Return a number for each word of a text."""
    return [*{zlib.crc32(word.encode("utf-8", "replace")) for word in text.split()}]


class RowCache:
    """Rows of owners, at one version of a table. None stands for too many to hold."""

    def __init__(self) -> None:
        self._revision: Revision = ("", -1)
        self._held: dict[Owner, Rows | None] = {}
        self._lock = threading.Lock()

    def rows(self, revision: Revision, owner: Owner, load: Callable[[], Rows | None]) -> Rows | None:
        """Return the rows of an owner, by `load` where none are held."""
        with self._lock:
            if revision != self._revision:  # another process wrote
                self._held, self._revision = {}, revision
            if owner in self._held:
                return self._held[owner]
        loaded = load()
        with self._lock:
            if revision == self._revision:
                if sum(len(rows or ()) for rows in (loaded, *self._held.values())) > _MOST_HELD:
                    self._held.clear()
                self._held[owner] = loaded
        return loaded

    def follow(
        self,
        before: Revision,
        after: Revision,
        entry_ids: Collection[str] = (),
        added: Mapping[Owner, pyarrow.Table] = MappingProxyType({}),
    ) -> None:
        """Follow a write of this process, which put `added` in the place of all rows of these entries."""
        with self._lock:
            if self._revision != before:
                return
            self._revision = after
            for owner, held in [*self._held.items()]:
                if held is None:
                    continue
                rows = self._held[owner] = held.replaced(entry_ids, added.get(owner))
                if rows.are_mostly_replaced or len(rows) > MOST_ROWS:
                    del self._held[owner]  # they are read again when they are asked for

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()
