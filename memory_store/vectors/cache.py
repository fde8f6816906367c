"""All rows of one owner in memory, searched by meaning and by words: LanceDB takes four to nine times as long."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memory_store.arrays import Floats
from memory_store.vectors.rows import Part

if TYPE_CHECKING:
    import pyarrow

NEAREST = 24  # entries of each part that are found by meaning
WORDED = 32  # the same by words
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
    """Rows of one owner, those of an entry together, which never change: `replaced` returns others."""

    def __init__(self, table: pyarrow.Table) -> None:
        """Take rows of the index that are sorted by entry, and count their words."""
        import pyarrow.compute as pc

        # In one piece, else each write leaves one more; a table from which all was taken has none.
        self._table = table.combine_chunks() if len(table) else table.schema.empty_table()
        vectors = self._table["vector"].chunk(0)
        self._vectors: Floats = vectors.flatten().to_numpy().reshape(-1, vectors.type.list_size)
        parts = self._table["part"].to_numpy()
        self._of_part = [parts == part.value for part in Part]
        entries = self._table["entry_id"].chunk(0).dictionary_encode()
        self._entry_ids: list[str] = entries.dictionary.to_pylist()
        self._entries = entries.indices.to_numpy()  # number of the entry of each row
        self._numbers = {entry_id: number for number, entry_id in enumerate(self._entry_ids)}
        self._starts = np.searchsorted(self._entries, range(len(self._entry_ids) + 1))  # of the rows of each entry
        words = pc.utf8_split_whitespace(self._table["words"].chunk(0))
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

    def __len__(self) -> int:
        return len(self._vectors)

    def replaced(self, entry_ids: Collection[str], added: pyarrow.Table | None) -> Rows:
        """Return the rows without those of some entries, and with others behind, which are sorted by entry."""
        import pyarrow as pa

        gone = [self._numbers[entry_id] for entry_id in entry_ids if entry_id in self._numbers]
        if not gone and added is None:
            return self
        left = self._table.filter(pa.array(np.isin(self._entries, gone, invert=True)))
        return Rows(left if added is None else pa.concat_tables([left, added]))

    def search(self, vector: Floats | None, words: str) -> dict[str, Near]:
        """Return the entries that are nearest by meaning, and those that share most words, of each part so many."""
        here = self._worded(words)
        if vector is None:
            return self._near(here, None)
        cosines = self._cosines(vector)
        for of_part in self._of_part:
            here += self._best(np.where(of_part, cosines, -1.0), NEAREST)
        return self._near(here, cosines)

    def within(self, vector: Floats, least: float) -> dict[str, float]:
        """Return the entries that have a row whose cosine is at least so much."""
        cosines = self._cosines(vector)
        rows = np.flatnonzero(cosines >= least)
        return {self._entry_ids[self._entries[row]]: float(cosines[row]) for row in rows}

    def _worded(self, words: str) -> list[str]:
        """Return the entries of each part whose texts share most with some words."""
        scores = np.zeros(len(self), np.float32)
        for code in {self._codes[word] for word in words.split() if word in self._codes}:
            rows = self._word_rows[self._ends[code - 1] if code else 0 : self._ends[code]]
            scores[rows] += math.log1p((len(self) - len(rows) + 0.5) / (len(rows) + 0.5)) / self._discounts[rows]
        found = (np.where(of_part & (scores > 0), scores, -1.0) for of_part in self._of_part)
        return [entry_id for of_part in found for entry_id in self._best(of_part, WORDED)]

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
        """Return what is known of entries, with the cosines of their rows where there are any."""
        found: dict[str, Near] = {}
        for entry_id in dict.fromkeys(entry_ids):
            number = self._numbers[entry_id]
            own = slice(*self._starts[number : number + 2].tolist())
            names, words = (self._table[column][own].to_pylist() for column in ("key_id", "words"))
            known: dict[str, float] = {}
            if cosines is not None:
                known = dict(zip(names, cosines[own].tolist(), strict=True))
                known[entry_id] = cosine_of_middle(self._vectors[own], cosines[own])
            found[entry_id] = Near(dict(zip(names, words, strict=True)), known)
        return found


def cosine_of_middle(vectors: Floats, cosines: Floats) -> float:
    """Return the cosine of a vector with the mean of others, of which it has these cosines.

    `vectors` has shape (rows, dimension), each row of length 1.
    """
    total = np.add.reduce(vectors)
    return float(np.add.reduce(cosines)) / max(_SHORTEST_MIDDLE * len(vectors), math.sqrt(float(total @ total)))
