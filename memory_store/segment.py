"""The texts of some entries, ready to be compared with a question all at once.

A segment holds what one person keeps private, or what is shared: scopes are kept apart by never being together. It is
made of index rows, or of the ledger's while the index is down (then without vectors).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memory_store.lookup import IndexedKey, Role
from memory_store.terms import TermIndex, Terms, ngram_rarity, ngrams, word_rarity, words

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from memory_store.terms import Floats, Places

_ROLES = tuple(Role)
_SHORTEST_MIDDLE = 0.05  # of opposite texts; theirs is near to nothing


def known(vector: Floats | None) -> Callable[[], Floats | None]:
    """The meaning of a question for which nobody needs to wait."""
    return lambda: vector


_UNKNOWN = known(None)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, ready to be compared.

    Args:
        text: as the person wrote it.
        english: as it reads in English.
        ngrams: of its folded form.
        words: of its English reading.
        meaning: waits for its vector, of length 1; None without an embedder.
    """

    text: str
    english: str
    ngrams: Terms
    words: Terms
    meaning: Callable[[], Floats | None] = _UNKNOWN

    @classmethod
    def prepare(cls, text: str, folded: str, english: str, meaning: Callable[[], Floats | None] = _UNKNOWN) -> Asked:
        """Take a question apart, once for all segments. Its vector may still be in the making."""
        return cls(text, english, ngrams([folded]), words([english]), meaning)


@dataclass(frozen=True)
class Similarities:
    """How alike a question is to each row: cosines in [0, 1] of shape (rows,).

    Args:
        ngrams: by letters.
        words: by words.
        compare_meaning: by meaning; waits for the vector of the question.
    """

    ngrams: Floats
    words: Floats
    compare_meaning: Callable[[], Floats]

    @cached_property
    def meaning(self) -> Floats:
        """NaN where unknown. Compared when it is first asked for, so that all else is done while the vector is made."""
        return self.compare_meaning()


class _Group(NamedTuple):
    """Rows of some roles: their places, the entries that have any, and where those of each entry begin in `rows`."""

    rows: Places
    entries: Places
    starts: Places


class Segment:
    """Rows, entry by entry.

    Args:
        rows: texts; those of one entry need not stand together.
        vectors: shape (rows, dimension), each row of length 1, or all NaN where there is none yet. None without an
            embedder.
    """

    def __init__(self, rows: Sequence[IndexedKey], vectors: Floats | None = None) -> None:
        import numpy as np

        numbers: dict[str, int] = {}
        entry_of = np.array([numbers.setdefault(row.entry_id, len(numbers)) for row in rows], dtype=np.int64)
        order = np.argsort(entry_of, kind="stable")
        self.rows: list[IndexedKey] = [rows[place] for place in order.tolist()]
        self.entry_ids = tuple(numbers)
        self.bounds: Places = np.searchsorted(entry_of[order], np.arange(len(numbers) + 1))
        self._roles = np.array([_ROLES.index(row.role) for row in self.rows], dtype=np.int8)
        self.said: NDArray[numpy.bool_] = np.zeros(len(numbers), dtype=bool)
        """Whether an entry has something that a person said. Shape (entries,)."""
        self.said[entry_of[order][self._with(Role.TOLD)]] = True
        self._groups: dict[tuple[Role, ...], _Group] = {}
        self._places: dict[tuple[int, tuple[Role, ...]], Sequence[int]] = {}
        self._middles: dict[tuple[int, tuple[Role, ...]], float] = {}
        self._vectors = None if vectors is None else np.ascontiguousarray(vectors[order])
        self._ngrams = TermIndex(ngrams([row.normalised for row in self.rows]), len(rows), ngram_rarity())
        self._words = TermIndex(words([row.english for row in self.rows]), len(rows), word_rarity())

    def __len__(self) -> int:
        return len(self.entry_ids)

    def compare(self, asked: Asked) -> Similarities:
        """The question beside every row: by letters, words and meaning."""
        letters, said = self._ngrams.likeness(asked.ngrams), self._words.likeness(asked.words)
        return Similarities(letters, said, lambda: self._meaning(asked.meaning()))

    def per_entry(self, values: Floats, *roles: Role) -> Floats:
        """The largest value among the rows of these roles, for each entry; 0 where it has none. Shape (entries,)."""
        import numpy as np

        group = self._group(roles)
        found: Floats = np.zeros(len(self), dtype=np.float32)
        if len(group.rows):
            found[group.entries] = np.fmax(np.fmax.reduceat(values[group.rows], group.starts), 0.0)  # NaN as well
        return found

    def rows_of(self, entry: int) -> slice:
        """Where the rows of an entry stand."""
        return slice(*self.bounds[entry : entry + 2].tolist())

    # What is near is near again, so both of these are kept.

    def places(self, entry: int, *roles: Role) -> Sequence[int]:
        """Those rows of an entry that have these roles, counted from its first."""
        if (known := self._places.get((entry, roles))) is not None:
            return known
        wanted, own = [_ROLES.index(role) for role in roles], self._roles[self.rows_of(entry)].tolist()
        return self._places.setdefault((entry, roles), [place for place, role in enumerate(own) if role in wanted])

    def length_of_middle(self, entry: int, *roles: Role) -> float:
        """Of the mean of the vectors of those rows, which all have one; 1 where all say the same."""
        if self._vectors is None:
            return 1.0
        if (known := self._middles.get((entry, roles))) is not None:
            return known
        vectors = self._vectors[self.rows_of(entry)][self.places(entry, *roles)]
        total = vectors.sum(axis=0)
        length = max(_SHORTEST_MIDDLE, math.sqrt(total @ total) / len(vectors))
        return self._middles.setdefault((entry, roles), length)

    def _meaning(self, vector: Floats | None) -> Floats:
        import numpy as np

        if self._vectors is None or vector is None:
            return np.full(len(self.rows), np.nan, dtype=np.float32)
        # `@` would use every core, and wait for each: twenty times slower as soon as another job holds one of them.
        found: Floats = np.vecdot(self._vectors, vector)
        return np.clip(found, 0.0, 1.0, out=found)

    def _group(self, roles: tuple[Role, ...]) -> _Group:
        """The rows of these roles; looked for once, since each question asks for the same."""
        import numpy as np

        if (known := self._groups.get(roles)) is not None:
            return known
        rows = np.flatnonzero(self._with(*roles))
        entries, starts = np.unique(np.searchsorted(self.bounds, rows, side="right") - 1, return_index=True)
        return self._groups.setdefault(roles, _Group(rows, entries, starts))

    def _with(self, *roles: Role) -> NDArray[numpy.bool_]:
        """Whether each row has one of these roles. Shape (rows,)."""
        import numpy as np

        return np.isin(self._roles, [_ROLES.index(role) for role in roles])
