"""Cache all rows of an owner, and search them by meaning and words: LanceDB takes four to nine times as long."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memory_store.arrays import Floats
from memory_store.vectors.rows import IndexPart, Row, to_arrow

if TYPE_CHECKING:
    import pyarrow

NEAREST = 24  # entries per part found by meaning
BY_WORDS = 32  # entries per part found by words
_MOST_KEYS = 16  # rows assumed per entry when the best entries are taken from the best rows
_SHORTEST_MIDDLE = 0.2  # least length of a mean vector; only unrelated vectors have a shorter one
# BM25 (Robertson and Zaragoza, 2009) with the usual constants; a repeated word counts once.
_SATURATION, _BY_LENGTH = 1.2, 0.75


class NearestTexts(NamedTuple):
    """Texts and cosines of an entry, from the index."""

    words: Mapping[str, str]  # its folded texts by key id
    cosines: Mapping[
        str, float
    ]  # of each row by key id, and of their mean vector by the entry's id; empty without vectors


class CachedRows:
    """Immutable rows of one owner, sorted by entry; `replace` returns changed ones."""

    def __init__(self, table: pyarrow.Table) -> None:
        """Prepare rows of the index, sorted by entry, and count their words."""
        import pyarrow.compute as pc

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
        words = pc.utf8_split_whitespace(self._table["words"].chunk(0))
        rows = pc.list_parent_indices(words).to_numpy()  # of each word of each text
        coded = words.flatten().dictionary_encode()
        codes, vocabulary = coded.indices.to_numpy(), coded.dictionary.to_pylist()
        self._codes = {word: code for code, word in enumerate(vocabulary)}
        self._word_rows = rows[np.argsort(codes, kind="stable")]  # grouped by word
        self._ends = np.cumsum(np.bincount(codes, minlength=len(vocabulary)))
        lengths = np.bincount(rows, minlength=len(self)).astype(np.float32)
        usual = max(1.0, len(rows) / max(1, len(self)))
        # Words count less in longer texts.
        self._discounts = 1 + _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths / usual)

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

    def search(self, vector: Floats | None, words: str) -> dict[str, NearestTexts]:
        """Return the entries of each part that are nearest by meaning, and those that share most words."""
        here = self._search_words(words)
        if vector is None:
            return self._near(here, None)
        cosines = self._cosines(vector)
        for of_part in self._of_part:
            here += self._select_best(np.where(of_part, cosines, -1.0), NEAREST)
        return self._near(here, cosines)

    def within(self, vector: Floats, least: float) -> dict[str, float]:
        """Return the entries with a row whose cosine is at least `least`, with that cosine."""
        cosines = self._cosines(vector)
        rows = np.flatnonzero(cosines >= least)
        return {self._entry_ids[self._entries[row]]: float(cosines[row]) for row in rows}

    def _search_words(self, words: str) -> list[str]:
        """Return the entries of each part with the highest BM25 scores for some words."""
        scores = np.zeros(len(self), np.float32)
        for code in {self._codes[word] for word in words.split() if word in self._codes}:
            rows = self._word_rows[self._ends[code - 1] if code else 0 : self._ends[code]]
            scores[rows] += math.log1p((len(self) - len(rows) + 0.5) / (len(rows) + 0.5)) / self._discounts[rows]
        found = (np.where(of_part & (scores > 0), scores, -1.0) for of_part in self._of_part)
        return [entry_id for of_part in found for entry_id in self._select_best(of_part, BY_WORDS)]

    def _cosines(self, vector: Floats) -> Floats:
        # `@` uses every core and waits for all: twenty times slower as soon as another job holds one.
        found: Floats = np.vecdot(self._vectors, vector)
        return np.maximum(found, 0.0, out=found)

    def _select_best(self, scores: Floats, most: int) -> list[str]:
        """Return the entries of the rows with the highest scores of at least 0."""
        rows, looked = np.flatnonzero(scores >= 0), most * _MOST_KEYS
        if len(rows) > looked:
            rows = rows[np.argpartition(-scores[rows], looked - 1)[:looked]]
        nearest = self._entries[rows[np.argsort(-scores[rows], kind="stable")]]
        return [self._entry_ids[number] for number in dict.fromkeys(nearest.tolist())][:most]

    def _near(self, entry_ids: Sequence[str], cosines: Floats | None) -> dict[str, NearestTexts]:
        """Return the texts of entries, and their cosines if given."""
        found: dict[str, NearestTexts] = {}
        for entry_id in dict.fromkeys(entry_ids):
            number = self._numbers[entry_id]
            own = slice(*self._starts[number : number + 2].tolist())
            names, words = (self._table[column][own].to_pylist() for column in ("key_id", "words"))
            known: dict[str, float] = {}
            if cosines is not None:
                known = dict(zip(names, cosines[own].tolist(), strict=True))
                known[entry_id] = cosine_of_middle(self._vectors[own], cosines[own])
            found[entry_id] = NearestTexts(dict(zip(names, words, strict=True)), known)
        return found


def cosine_of_middle(vectors: Floats, cosines: Floats) -> float:
    """Return the cosine of a vector with the mean of other vectors, given its cosines with them.

    `vectors` has shape (rows, dimension), each row of length 1.
    """
    total = np.add.reduce(vectors)
    return float(np.add.reduce(cosines)) / max(_SHORTEST_MIDDLE * len(vectors), math.sqrt(float(total @ total)))
