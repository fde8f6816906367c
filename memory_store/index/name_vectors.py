"""The vectors of names as one array, to compare a name that is asked for with all of them at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_store.language.terms import Floats

_GONE = -1  # in the place of an id


@dataclass(frozen=True, slots=True)
class NameVectors:
    """Ids, and of each the vector, of length 1, in a row; all NaN where there is none yet."""

    ids: NDArray[np.int64]
    vectors: Floats

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def held(self) -> int:
        """How many rows are in memory."""
        return len(self.ids)

    @property
    def found(self) -> int:
        """How many of them are found."""
        return int(np.count_nonzero(self.ids != _GONE))

    @property
    def waits(self) -> bool:
        """Whether one of them has no vector yet."""
        return bool(np.isnan(self.vectors[:, 0]).any())

    def without(self, ids: Collection[str]) -> NameVectors:
        """The same, in which these are found no more. It shares the vectors with this one."""
        is_gone = np.isin(self.ids, [int(name) for name in ids if name.isdecimal()])
        return NameVectors(np.where(is_gone, _GONE, self.ids), self.vectors) if is_gone.any() else self

    @classmethod
    def joined(cls, several: Sequence[NameVectors]) -> NameVectors:
        """One of all that is found in some."""
        there = [each.ids != _GONE for each in several]
        ids, vectors = (
            np.concatenate([getattr(each, part)[kept] for each, kept in zip(several, there, strict=True)])
            for part in ("ids", "vectors")
        )
        return cls(ids, vectors)

    def near(self, vector: Floats, least: float) -> dict[int, float]:
        """The ids of those whose cosine with a vector is `least` or more, with it."""
        # `@` would use every core, as in `memory_store.index.key_matrix`.
        cosines = np.vecdot(self.vectors, vector)
        places = np.flatnonzero((cosines >= least) & (self.ids != _GONE))
        return dict(zip(self.ids[places].tolist(), cosines[places].tolist(), strict=True))
