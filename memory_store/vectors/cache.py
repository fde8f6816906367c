"""Rows of the index in memory, by owner: the one cache of searches. A write replaces the rows that it changed."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memory_store.arrays import Floats
from memory_store.vectors.rows import Owner, Part, vectors_of

if TYPE_CHECKING:
    import pyarrow

MOST_ROWS = 50_000
"""Rows of one owner that are held, 1.5 kB each; beyond them LanceDB searches its own index of vectors."""
_MOST_HELD = 2 * MOST_ROWS  # rows of all owners
_HELD = ("entry_id", "key_id", "part", "words")  # columns
_MOST_KEYS = 16  # rows that an entry is taken to have, where the nearest entries are looked for among the nearest rows
_SHORTEST_MIDDLE = 0.2  # length of a mean; it is shorter only of vectors that have nothing in common
# BM25 (Robertson and Zaragoza, 2009), with the usual constants; each word of a text counts once.
_SATURATION, _BY_LENGTH = 1.2, 0.75


class Near(NamedTuple):
    """What the index knows of an entry that may be meant."""

    words: Mapping[str, str]  # each of its texts as it is folded, by key id
    cosines: Mapping[
        str, float
    ]  # of each of its rows by key id, and of their middle by the entry's; none without meaning


class Rows:
    """Rows of one owner, which never change: `replaced` returns others."""

    def __init__(self, texts: pyarrow.Table, vectors: Floats) -> None:
        """Count the words of some rows.

        Args:
            texts: the columns of `_HELD`.
            vectors: shape (rows, dimension); zeros where a row has none.
        """
        import pyarrow.compute as pc

        self._texts, self._vectors = texts, vectors
        parts = texts["part"].to_numpy()
        self._of_part = [parts == part.value for part in Part]
        entries = texts["entry_id"].combine_chunks().dictionary_encode()
        self._entry_ids: list[str] = entries.dictionary.to_pylist()
        self._entries = entries.indices.to_numpy()  # number of the entry of each row
        self._numbers = {entry_id: number for number, entry_id in enumerate(self._entry_ids)}
        words = pc.utf8_split_whitespace(texts["words"].combine_chunks())
        rows = pc.list_parent_indices(words).to_numpy()  # of each word of each text
        coded = words.flatten().dictionary_encode()
        codes, vocabulary = coded.indices.to_numpy(), coded.dictionary.to_pylist()
        self._codes = {word: code for code, word in enumerate(vocabulary)}
        self._word_rows = rows[np.argsort(codes, kind="stable")]  # those of each word, one word after another
        self._ends = np.cumsum(np.bincount(codes, minlength=len(vocabulary)))
        lengths = np.bincount(rows, minlength=len(self)).astype(np.float32)
        usual = max(1.0, len(rows) / max(1, len(self)))
        # How much less each word says in a longer text.
        self._discounts = 1 + _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths / usual)

    @classmethod
    def of(cls, rows: pyarrow.Table, dimension: int) -> Rows:
        """Return these rows of the index."""
        import pyarrow as pa

        texts = pa.table({name: rows[name].combine_chunks() for name in _HELD})
        return cls(texts, vectors_of(rows["vector"], dimension))

    def __len__(self) -> int:
        return len(self._vectors)

    def has_any(self, entry_ids: Collection[str]) -> bool:
        """Return True if there is a row of one of these entries."""
        return not self._numbers.keys().isdisjoint(entry_ids)

    def replaced(self, entry_ids: Collection[str], added: Rows | None) -> Rows:
        """Return the rows without those of some entries, and with others behind."""
        import pyarrow as pa

        gone = [self._numbers[entry_id] for entry_id in entry_ids if entry_id in self._numbers]
        kept = np.isin(self._entries, gone, invert=True)
        texts, vectors = self._texts.filter(pa.array(kept)), self._vectors[kept]
        if added is None:
            return Rows(texts, vectors)
        # In one piece, else each write leaves one more.
        texts = pa.concat_tables([texts, added._texts]).combine_chunks()
        return Rows(texts, np.concatenate([vectors, added._vectors]))

    def search(self, vector: Floats | None, worded: Collection[str], most: int) -> dict[str, Near]:
        """Return the nearest entries, at most so many of each part, and those of `worded` that are here."""
        here = [entry_id for entry_id in worded if entry_id in self._numbers]
        if vector is None:
            return self._near(here, None)
        cosines = self._cosines(vector)
        for of_part in self._of_part:
            here += self._best(np.where(of_part, cosines, -1.0), most)
        return self._near([*dict.fromkeys(here)], cosines)

    def worded(self, words: str, most: int) -> list[str]:
        """Return the entries of each part whose texts share most with some words, at most so many."""
        scores = np.zeros(len(self), np.float32)
        for code in {self._codes[word] for word in words.split() if word in self._codes}:
            rows = self._word_rows[self._ends[code - 1] if code else 0 : self._ends[code]]
            scores[rows] += math.log1p((len(self) - len(rows) + 0.5) / (len(rows) + 0.5)) / self._discounts[rows]
        found = (np.where(of_part & (scores > 0), scores, -1.0) for of_part in self._of_part)
        return [entry_id for of_part in found for entry_id in self._best(of_part, most)]

    def within(self, vector: Floats, least: float) -> dict[str, float]:
        """Return the entries that have a row whose cosine is at least so much."""
        cosines = self._cosines(vector)
        rows = np.flatnonzero(cosines >= least)
        return {self._entry_ids[self._entries[row]]: float(cosines[row]) for row in rows}

    def _cosines(self, vector: Floats) -> Floats:
        # `@` would use every core, and wait for each: twenty times slower as soon as another job holds one of them.
        found: Floats = np.vecdot(self._vectors, vector)
        return np.maximum(found, 0.0, out=found)

    def _best(self, scores: Floats, most: int) -> list[str]:
        """Return the entries of the rows with the largest scores of at least 0."""
        rows, looked = np.flatnonzero(scores >= 0), most * _MOST_KEYS
        if len(rows) > looked:
            rows = rows[np.argpartition(-scores[rows], looked - 1)[:looked]]
        nearest = self._entries[rows[np.argsort(-scores[rows], kind="stable")]]
        return [self._entry_ids[number] for number in dict.fromkeys(nearest.tolist())][:most]

    def _near(self, entry_ids: Sequence[str], cosines: Floats | None) -> dict[str, Near]:
        numbers = [self._numbers[entry_id] for entry_id in entry_ids]
        rows = np.flatnonzero(np.isin(self._entries, numbers))
        names, texts = (self._texts[column].take(rows).to_pylist() for column in ("key_id", "words"))
        places: dict[int, list[int]] = {number: [] for number in numbers}  # in `rows`, of each entry
        for place, number in enumerate(self._entries[rows].tolist()):
            places[number].append(place)
        found: dict[str, Near] = {}
        for entry_id, own in zip(entry_ids, places.values(), strict=True):
            known = {}
            if cosines is not None:
                values = cosines[rows[own]]
                known = dict(zip((names[place] for place in own), values.tolist(), strict=True))
                known[entry_id] = cosine_of_middle(self._vectors[rows[own]], values)
            found[entry_id] = Near({names[place]: texts[place] for place in own}, known)
        return found


def cosine_of_middle(vectors: Floats, cosines: Floats) -> float:
    """Return the cosine of a vector with the mean of others, of which it has these cosines.

    `vectors` has shape (rows, dimension), each row of length 1.
    """
    total = np.add.reduce(vectors)
    return float(np.add.reduce(cosines)) / max(_SHORTEST_MIDDLE * len(vectors), math.sqrt(float(total @ total)))


class RowCache:
    """Rows of owners, as the last write left them. None stands for too many to hold."""

    def __init__(self) -> None:
        self._held: dict[Owner, Rows | None] = {}
        self._writes = 0  # what was read before one and comes after it is not held
        self._lock = threading.Lock()

    def rows(self, owner: Owner, load: Callable[[], Rows | None]) -> Rows | None:
        """Return the rows of an owner, by `load` where none are held."""
        with self._lock:
            if owner in self._held:
                return self._held[owner]
            writes = self._writes
        loaded = load()
        with self._lock:
            if writes == self._writes:
                if sum(len(rows or ()) for rows in (loaded, *self._held.values())) > _MOST_HELD:
                    self._held.clear()
                self._held[owner] = loaded
        return loaded

    def replace(self, entry_ids: Collection[str], added: Mapping[Owner, Rows]) -> None:
        """Put `added` in the place of all rows of these entries, as was just written."""
        with self._lock:
            self._writes += 1
            writes, held = self._writes, dict(self._held)
        changed: dict[Owner, Rows | None] = {}
        for owner, rows in held.items():  # meanwhile searches go on, with what was there before
            if rows is not None and (owner in added or rows.has_any(entry_ids)):
                left = rows.replaced(entry_ids, added.get(owner))
                changed[owner] = left if len(left) <= MOST_ROWS else None
        with self._lock:
            if writes == self._writes:
                self._held |= changed

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._writes += 1
            self._held.clear()
