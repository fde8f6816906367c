"""The texts of some entries as arrays, to compare a question with all of them at once.

A matrix holds what one person keeps private, or what is shared: scopes are kept apart by never being together. It is
made of index rows, or of the ledger's while the index is down (then without vectors).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_store.embedding.standard import Scale, as_they_are
from memory_store.index.packed_keys import PackedKeys, packed
from memory_store.language.terms import Floats, Places, TermIndex, Terms, ngram_rarity, ngrams
from memory_store.language.word_translation import Readings
from memory_store.ledger.indexed_keys import IndexedKey, TextRole

_ROLES = tuple(TextRole)
_SHORTEST_MEAN = 0.05  # of opposite texts; theirs is near to nothing


class Part(IntEnum):
    """What an entry is found as, told by its rows: only the ledger knows its kind. None takes another's room."""

    SAID = 0  # something that a person said of a question
    UNSAID = 1  # nothing beside its question, as an example
    ASSERTED = 2  # what is so, whatever was asked
    GONE = 3  # it is found no more


class Columns(NamedTuple):
    """What is kept or compared of keys, in their order."""

    entry_ids: list[str]
    roles: list[TextRole]
    folded: list[str]
    packed: list[bytes]

    @classmethod
    def of(cls, keys: Sequence[IndexedKey], as_packed: list[bytes]) -> Columns:
        """`as_packed` are the same keys, packed."""
        return cls(
            [key.entry_id for key in keys], [key.role for key in keys], [key.normalised for key in keys], as_packed
        )


def known(vector: Floats | None) -> Callable[[], Floats | None]:
    """The vector of a question for which nobody needs to wait."""
    return lambda: vector


@dataclass(frozen=True, slots=True)
class Query:
    """A question, ready to be compared."""

    text: str
    english: str
    ngrams: Terms  # of its folded form
    vector: Callable[[], Floats | None]  # waits for its vector, of length 1; None without an embedder
    focus: Callable[[], Floats | None]  # the same of its last sentence, which mostly says what is wanted
    scale: Scale = as_they_are  # how its cosines are read

    @classmethod
    def read(
        cls,
        text: str,
        readings: Readings,
        vector: Callable[[], Floats | None],
        focus: Callable[[], Floats | None] | None = None,
        scale: Scale = as_they_are,
    ) -> Query:
        """Take a question apart, once for all matrices. Its vector may still be in the making.

        `focus` is left out where it has one sentence only.
        """
        english = readings.english(text)
        return cls(text, english, ngrams([readings.fold(text)]), vector, focus or vector, scale)


class Scores:
    """How alike a question is to each row of a matrix, by letters and meaning: in [0, 1], (rows,)."""

    def __init__(self, matrix: KeyMatrix, query: Query) -> None:
        self.matrix = matrix
        self.english = query.english
        self.ngrams: Floats = matrix.ngrams.similarity(query.ngrams)
        self._query = query

    @cached_property
    def meaning(self) -> Floats:
        """NaN where unknown. Compared when it is first asked for, so that all else is done while the vector is made."""
        return self._scaled(self._query.vector())

    @cached_property
    def knows_meaning(self) -> bool:
        """Whether that of any row is known."""
        return not bool(np.isnan(self.meaning).all())

    @cached_property
    def focus(self) -> Floats:
        """`meaning`, of the last sentence of the question."""
        same = self._query.focus is self._query.vector
        return self.meaning if same else self._scaled(self._query.focus())

    def _scaled(self, vector: Floats | None) -> Floats:
        cosines = self.matrix.cosines(vector)
        return cosines if vector is None else self._query.scale(vector, cosines)


class _Layer(NamedTuple):
    """One row of each of some entries, in the same order."""

    entries: Places
    rows: Places


class KeyMatrix:
    """Rows, entry by entry. The keys of one entry need not stand together.

    `vectors`: shape (rows, dimension), each row of length 1, or all NaN where there is none yet; None without an
    embedder.
    """

    def __init__(self, keys: Sequence[IndexedKey], vectors: Floats | None = None) -> None:
        self._take(Columns.of(keys, packed(keys)), vectors)

    @classmethod
    def of_columns(cls, columns: Columns, vectors: Floats | None) -> KeyMatrix:
        made = cls.__new__(cls)
        made._take(columns, vectors)
        return made

    def _take(self, columns: Columns, vectors: Floats | None) -> None:
        numbers: dict[str, int] = {}
        entry_of = np.array([numbers.setdefault(entry_id, len(numbers)) for entry_id in columns.entry_ids], np.int64)
        if np.any(np.diff(entry_of) < 0):
            order = np.argsort(entry_of, kind="stable")
            columns = Columns(*([column[place] for place in order.tolist()] for column in columns))
            entry_of, vectors = entry_of[order], None if vectors is None else vectors[order]
        self._fill(
            tuple(numbers),
            np.bincount(entry_of, minlength=len(numbers)),
            PackedKeys(columns.packed),
            np.array([_ROLES.index(role) for role in columns.roles], dtype=np.int8),
            TermIndex(ngrams(columns.folded), len(entry_of), ngram_rarity()),
            vectors,
        )

    def _fill(
        self,
        entry_ids: tuple[str, ...],
        sizes: Places,
        rows: PackedKeys,
        roles: NDArray[np.int8],
        terms: TermIndex,
        vectors: Floats | None,
    ) -> None:
        """From what is known of entries, how many rows each has, and of those rows, entry by entry."""
        self.rows = rows
        self.entry_ids = entry_ids
        self._numbers = {entry_id: number for number, entry_id in enumerate(entry_ids)}
        self.ngrams = terms
        self._bounds: Places = np.concatenate([[0], np.cumsum(sizes)])
        self._roles = roles
        self._vectors = vectors
        self._layers: dict[tuple[TextRole, ...], tuple[_Layer, ...]] = {}
        self._mean_lengths: dict[tuple[int, tuple[TextRole, ...]], float] = {}
        self._parts: NDArray[np.int8] = np.full(len(entry_ids), Part.UNSAID, dtype=np.int8)  # of each entry
        for role, part in ((TextRole.WITH_FEEDBACK, Part.SAID), (TextRole.ASSERTED, Part.ASSERTED)):
            for first in self._layers_of((role,))[:1]:
                self._parts[first.entries] = part

    def __len__(self) -> int:
        return len(self.entry_ids)

    @property
    def held(self) -> int:
        """How many rows are in memory."""
        return len(self.rows)

    @property
    def found(self) -> int:
        """How many of them are found."""
        return int(np.diff(self._bounds)[self._parts != Part.GONE].sum())

    @property
    def waits(self) -> bool:
        """Whether one of them has no vector yet."""
        return self._vectors is not None and bool(np.isnan(self._vectors[:, 0]).any())

    def without(self, entry_ids: Collection[str]) -> KeyMatrix:
        """A matrix of the same rows, in which these entries are found no more. It shares what it can with this one."""
        places = [self._numbers[entry_id] for entry_id in entry_ids if entry_id in self._numbers]
        if not places:
            return self
        kept = copy(self)
        kept._parts = self._parts.copy()
        kept._parts[places] = Part.GONE
        return kept

    @classmethod
    def joined(cls, matrices: Sequence[KeyMatrix]) -> KeyMatrix:
        """One matrix of all that is found in some of the same embedder, and of nothing else."""
        entries = [matrix._parts != Part.GONE for matrix in matrices]
        sizes = [np.diff(matrix._bounds) for matrix in matrices]
        rows = [np.repeat(kept, size) for kept, size in zip(entries, sizes, strict=True)]
        there = list(zip(matrices, entries, rows, strict=True))
        vectors = [matrix._vectors[kept] for matrix, _, kept in there if matrix._vectors is not None]
        made = cls.__new__(cls)
        made._fill(
            tuple(entry_id for matrix, kept, _ in there for entry_id in compress(matrix.entry_ids, kept)),
            np.concatenate([size[kept] for size, kept in zip(sizes, entries, strict=True)]),
            PackedKeys([row for matrix, _, kept in there for row in compress(matrix.rows.packed, kept)]),
            np.concatenate([matrix._roles[kept] for matrix, _, kept in there]),
            TermIndex.joined([matrix.ngrams for matrix in matrices], rows),
            np.concatenate(vectors) if vectors else None,
        )
        return made

    @classmethod
    def gathered(cls, matrices: Sequence[KeyMatrix]) -> KeyMatrix:
        """One matrix of all rows, some entries of which may be in several."""
        vectors = [matrix._vectors for matrix in matrices if matrix._vectors is not None]
        return cls([key for matrix in matrices for key in matrix.rows], np.concatenate(vectors) if vectors else None)

    def of(self, part: Part) -> Places:
        """The entries that are found as this."""
        return np.flatnonzero(self._parts == part)

    def part(self, entry: int) -> Part:
        """What an entry is found as."""
        return Part(self._parts[entry])

    def compare(self, query: Query) -> Scores:
        return Scores(self, query)

    def cosines(self, vector: Floats | None) -> Floats:
        """Of a vector with that of each row, at least 0; NaN where either is unknown. Shape (rows,)."""
        if self._vectors is None or vector is None:
            return np.full(len(self.rows), np.nan, dtype=np.float32)
        # `@` would use every core, and wait for each: twenty times slower as soon as another job holds one of them.
        found: Floats = np.vecdot(self._vectors, vector)
        return np.clip(found, 0.0, 1.0, out=found)

    def per_entry(self, values: Floats, *roles: TextRole) -> Floats:
        """The largest value among the rows of these roles, for each entry; 0 where it has none. Shape (entries,)."""
        found: Floats = np.zeros(len(self), dtype=np.float32)
        for entries, rows in self._layers_of(roles):
            found[entries] = np.fmax(found[entries], values[rows])  # what is NaN counts as nothing
        return found

    def rows_of(self, entry: int) -> slice:
        """Where the rows of an entry stand."""
        return slice(*self._bounds[entry : entry + 2].tolist())

    def places(self, entry: int, *roles: TextRole) -> list[int]:
        """Those rows of an entry that have these roles, counted from its first."""
        return [place for place, role in enumerate(self._roles[self.rows_of(entry)].tolist()) if _ROLES[role] in roles]

    def length_of_middle(self, entry: int, *roles: TextRole) -> float:
        """Of the mean of the vectors of those rows, which all have one; 1 where all say the same."""
        if self._vectors is None:
            return 1.0
        # What is near is near again, so it is kept.
        if (known := self._mean_lengths.get((entry, roles))) is not None:
            return known
        vectors = self._vectors[self.rows_of(entry)][self.places(entry, *roles)]
        total = vectors.sum(axis=0)
        length = max(_SHORTEST_MEAN, math.sqrt(total @ total) / len(vectors))
        return self._mean_lengths.setdefault((entry, roles), length)

    def _layers_of(self, roles: tuple[TextRole, ...]) -> tuple[_Layer, ...]:
        """The first row of these roles of each entry that has one, then the second of each that has two, and so on.

        Most entries have one or two, so that a few steps go over all of them. Put together once: each question asks for
        the same.
        """
        if (known := self._layers.get(roles)) is not None:
            return known
        rows = np.flatnonzero(np.isin(self._roles, [_ROLES.index(role) for role in roles]))
        entries = np.searchsorted(self._bounds, rows, side="right") - 1
        places = np.arange(len(rows)) - np.searchsorted(entries, entries)  # among those of its entry
        order, ends = np.argsort(places, kind="stable"), np.cumsum(np.bincount(places))[:-1]
        layers = zip(np.split(entries[order], ends), np.split(rows[order], ends), strict=True)
        return self._layers.setdefault(roles, tuple(_Layer(*layer) for layer in layers))
