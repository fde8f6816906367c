"""The texts of some entries, ready to be compared with a question all at once.

A segment holds what one person keeps private, or what is shared: scopes are kept apart by never being together. It is
made of index rows, or of the ledger's while the index is down (then without vectors).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


class Similarities(NamedTuple):
    """How alike a question is to each row: cosines in [0, 1] of shape (rows,). `meaning` is NaN where unknown."""

    meaning: Floats
    ngrams: Floats
    words: Floats


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
        roles = np.array([_ROLES.index(row.role) for row in self.rows], dtype=np.int8)
        self._has: dict[Role, NDArray[numpy.bool_]] = {role: roles == number for number, role in enumerate(_ROLES)}
        self.said: NDArray[numpy.bool_] = np.zeros(len(numbers), dtype=bool)
        """Whether an entry has something that a person said. Shape (entries,)."""
        self.said[entry_of[order][self._has[Role.TOLD]]] = True
        self._groups: dict[tuple[Role, ...], _Group] = {}
        self._places: dict[tuple[int, tuple[Role, ...]], Places] = {}
        self._vectors = None if vectors is None else np.ascontiguousarray(vectors[order])
        self._ngrams = TermIndex(ngrams([row.normalised for row in self.rows]), len(rows), ngram_rarity())
        self._words = TermIndex(words([row.english for row in self.rows]), len(rows), word_rarity())

    def __len__(self) -> int:
        return len(self.entry_ids)

    def compare(self, asked: Asked) -> Similarities:
        """The question beside every row: by letters, words and meaning."""
        letters, said = self._ngrams.likeness(asked.ngrams), self._words.likeness(asked.words)
        return Similarities(self._meaning(asked.meaning()), letters, said)

    def per_entry(self, values: Floats, *roles: Role) -> Floats:
        """The largest value among the rows of these roles, for each entry; 0 where it has none. Shape (entries,)."""
        import numpy as np

        group = self._group(roles)
        found: Floats = np.zeros(len(self), dtype=np.float32)
        if len(group.rows):
            found[group.entries] = np.fmax(np.fmax.reduceat(values[group.rows], group.starts), 0.0)  # NaN as well
        return found

    def places(self, entry: int, *roles: Role) -> Places:
        """The rows of one entry that have these roles; looked for once, since what is near is near again."""
        import numpy as np

        if (known := self._places.get((entry, roles))) is not None:
            return known
        first, last = int(self.bounds[entry]), int(self.bounds[entry + 1])
        found = [place for place in range(first, last) if self.rows[place].role in roles]
        return self._places.setdefault((entry, roles), np.array(found, dtype=np.int64))

    def length_of_middle(self, places: Places) -> float:
        """Of the mean of the vectors of some rows, which all have one; 1 where all say the same."""
        import numpy as np

        if self._vectors is None:
            return 1.0
        middle = self._vectors[places].mean(axis=0)
        return max(_SHORTEST_MIDDLE, float(np.sqrt(middle @ middle)))

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
        rows = np.flatnonzero(self._any(roles))
        entries, starts = np.unique(np.searchsorted(self.bounds, rows, side="right") - 1, return_index=True)
        return self._groups.setdefault(roles, _Group(rows, entries, starts))

    def _any(self, roles: Sequence[Role]) -> NDArray[numpy.bool_]:
        wanted = self._has[roles[0]]
        for role in roles[1:]:
            wanted = wanted | self._has[role]
        return wanted
