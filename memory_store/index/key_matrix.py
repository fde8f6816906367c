"""The texts of some entries as arrays, to compare a question with all of them at once.

A matrix holds what one person keeps private, or what is shared: scopes are kept apart by never being together. It is
made of index rows, or of the ledger's while the index is down (then without vectors).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_store.embedding.standard import Scale, as_they_are
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


class _Group(NamedTuple):
    """Rows of some roles: their places, the entries that have any, and where those of each entry begin in `rows`."""

    rows: Places
    entries: Places
    starts: Places


class KeyMatrix:
    """Rows, entry by entry. The keys of one entry need not stand together.

    `vectors`: shape (rows, dimension), each row of length 1, or all NaN where there is none yet; None without an
    embedder.
    """

    def __init__(self, keys: Sequence[IndexedKey], vectors: Floats | None = None) -> None:
        numbers: dict[str, int] = {}
        entry_of = np.array([numbers.setdefault(key.entry_id, len(numbers)) for key in keys], dtype=np.int64)
        order = np.argsort(entry_of, kind="stable")
        self.rows: list[IndexedKey] = [keys[place] for place in order.tolist()]
        self.entry_ids = tuple(numbers)
        self._numbers = numbers
        self.ngrams = TermIndex(ngrams([key.normalised for key in self.rows]), len(keys), ngram_rarity())
        self._bounds: Places = np.searchsorted(entry_of[order], np.arange(len(numbers) + 1))
        self._roles = np.array([_ROLES.index(key.role) for key in self.rows], dtype=np.int8)
        self._vectors = None if vectors is None else np.ascontiguousarray(vectors[order])
        self._groups: dict[tuple[TextRole, ...], _Group] = {}
        self._mean_lengths: dict[tuple[int, tuple[TextRole, ...]], float] = {}
        self._parts: NDArray[np.int8] = np.full(len(numbers), Part.UNSAID, dtype=np.int8)  # of each entry
        self._parts[self._group((TextRole.WITH_FEEDBACK,)).entries] = Part.SAID
        self._parts[self._group((TextRole.ASSERTED,)).entries] = Part.ASSERTED

    def __len__(self) -> int:
        return len(self.entry_ids)

    def without(self, entry_ids: Iterable[str]) -> KeyMatrix:
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
        """One matrix of all that is found in some of the same embedder."""
        found = [np.repeat(matrix._parts != Part.GONE, np.diff(matrix._bounds)) for matrix in matrices]
        pairs = list(zip(matrices, found, strict=True))
        vectors = [matrix._vectors[rows] for matrix, rows in pairs if matrix._vectors is not None]
        keys = [key for matrix, rows in pairs for key in compress(matrix.rows, rows)]
        return cls(keys, np.concatenate(vectors) if vectors else None)

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
        group = self._group(roles)
        found: Floats = np.zeros(len(self), dtype=np.float32)
        if len(group.rows):
            found[group.entries] = np.fmax(np.fmax.reduceat(values[group.rows], group.starts), 0.0)  # NaN as well
        return found

    def rows_of(self, entry: int) -> slice:
        """Where the rows of an entry stand."""
        return slice(*self._bounds[entry : entry + 2].tolist())

    def places(self, entry: int, *roles: TextRole) -> list[int]:
        """Those rows of an entry that have these roles, counted from its first."""
        return [place for place, key in enumerate(self.rows[self.rows_of(entry)]) if key.role in roles]

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

    def _group(self, roles: tuple[TextRole, ...]) -> _Group:
        """The rows of these roles; looked for once, since each question asks for the same."""
        if (known := self._groups.get(roles)) is not None:
            return known
        rows = np.flatnonzero(np.isin(self._roles, [_ROLES.index(role) for role in roles]))
        entries, starts = np.unique(np.searchsorted(self._bounds, rows, side="right") - 1, return_index=True)
        return self._groups.setdefault(roles, _Group(rows, entries, starts))
