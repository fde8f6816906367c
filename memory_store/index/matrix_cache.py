"""The matrices that are held in memory, by owner. They grow: a write changes what it touches, and nothing else is read.

What a write replaces is found no more, and what it brings stands in a small matrix of its own. That one is joined with
the one before it once it is half as large, so a question is compared with few, and each row is moved a few times only.
None grows beyond some thousand rows: what an erasure or a join makes anew stays small, however much a person has saved.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, Self, TypeAlias, TypeVar, cast

from memory_store.index.key_matrix import KeyMatrix

_MOST_OWNERS = 64
MOST_ROWS = 16_384  # of a matrix; with more, joining two would hold up a question
_SMALL = 96  # rows; so small a matrix is joined with whatever comes

Revision: TypeAlias = tuple[str, int]  # name of what is read, and its version
Owner: TypeAlias = tuple[str, str]  # scope and owner of rows. What is shared has no owner
Matrices: TypeAlias = tuple[KeyMatrix, ...]  # of one owner; no entry is found in two


class Matrix(Protocol):
    """Rows of one owner, of entries or of names, by the ids of which they go."""

    @property
    def held(self) -> int: ...

    @property
    def found(self) -> int: ...

    @property
    def waits(self) -> bool: ...

    def without(self, ids: Collection[str], /) -> Self: ...

    @classmethod
    def joined(cls, matrices: Sequence[Self], /) -> Self: ...


M = TypeVar("M", bound=Matrix)


class MatrixCache:
    """The matrices of one revision. Another one that no `changed` told of drops them all."""

    def __init__(self) -> None:
        self._revision: Revision = ("", -1)
        self._held: OrderedDict[Owner, tuple[Matrix, ...] | None] = OrderedDict()
        self._lock = threading.Lock()

    def matrices(
        self, revision: Revision, owner: Owner, load: Callable[[], tuple[M, ...] | None]
    ) -> tuple[M, ...] | None:
        """The matrices of an owner's rows, by `load` where none are held. None where they are too large to be held."""
        with self._lock:
            if revision != self._revision:
                self._held.clear()
                self._revision = revision
            if owner in self._held:
                self._held.move_to_end(owner)
                return cast("tuple[M, ...] | None", self._held[owner])  # all that is loaded for one is of one kind
        matrices = load()
        with self._lock:
            if revision == self._revision:
                self._held[owner] = matrices
                while len(self._held) > _MOST_OWNERS:
                    self._held.popitem(last=False)
        return matrices

    def changed(
        self,
        before: Revision,
        after: Revision,
        entry_ids: Collection[str] = (),
        added: Mapping[Owner, Callable[[], Matrix]] | None = None,
    ) -> None:
        """A write put what is `added`, by owner, in the place of all rows of these entries."""
        added = added or {}
        with self._lock:
            if self._revision != before:
                return
            self._revision = after
            for owner, matrices in list(self._held.items()):
                if matrices is not None:
                    self._held[owner] = _grown(matrices, entry_ids, added.get(owner))
                elif owner in added:
                    del self._held[owner]

    @property
    def waits(self) -> bool:
        """Whether a row that is held has no vector yet."""
        with self._lock:
            return any(matrix.waits for matrices in self._held.values() for matrix in matrices or ())

    def clear(self) -> None:
        with self._lock:
            self._held.clear()

    def purge(self, revision: Revision) -> None:
        """Keep nothing of what is found no more at this revision: it was erased. What is of another may hold it."""
        with self._lock:
            if revision != self._revision:
                self._held.clear()
            for owner, matrices in self._held.items():
                if matrices is not None:
                    self._held[owner] = tuple(map(_compact, matrices))


def _grown(
    matrices: tuple[Matrix, ...], entry_ids: Collection[str], added: Callable[[], Matrix] | None
) -> tuple[Matrix, ...]:
    grown = [matrix.without(entry_ids) for matrix in matrices]
    if added is not None:
        grown.append(added())
    # What is mostly gone is left out, so that no more than twice of what is found is ever held.
    grown = [_compact(matrix) if matrix.held > 2 * matrix.found else matrix for matrix in grown if matrix.found]
    while len(grown) > 1 and _belong_together(*grown[-2:]):
        grown[-2:] = [type(grown[-1]).joined(grown[-2:])]
    return tuple(grown)


def _belong_together(matrix: Matrix, later: Matrix) -> bool:
    is_near_in_size = matrix.found <= max(_SMALL, 2 * later.found)
    return is_near_in_size and matrix.found + later.found <= MOST_ROWS


def _compact(matrix: Matrix) -> Matrix:
    return matrix if matrix.held == matrix.found else type(matrix).joined([matrix])
