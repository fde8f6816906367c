"""What people lately asked about, in memory: one matrix for each person's own texts, and one for what is shared.

A matrix is loaded when it is first needed and dropped when its rows change, so that each question is compared with all
texts in a few milliseconds. Only the newest few are kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import TypeAlias

from memory_store.index.key_matrix import KeyMatrix

_MOST_MATRICES = 64

Revision: TypeAlias = tuple[str, int]
"""Name of what is read, and its version."""
Owner: TypeAlias = tuple[str, str]
"""Scope and owner of rows. What is shared has no owner."""


class MatrixCache:
    """The matrices of one revision, by owner; another one drops them all."""

    def __init__(self) -> None:
        self._revision: Revision = ("", -1)
        self._matrices: OrderedDict[Owner, KeyMatrix | None] = OrderedDict()
        self._lock = threading.Lock()

    def matrix(self, revision: Revision, owner: Owner, load: Callable[[], KeyMatrix | None]) -> KeyMatrix | None:
        """The matrix of an owner's rows, by `load` where it is not held. None where it is too large to be held."""
        with self._lock:
            if revision != self._revision:
                self._matrices.clear()
                self._revision = revision
            if owner in self._matrices:
                self._matrices.move_to_end(owner)
                return self._matrices[owner]
        loaded = load()
        with self._lock:
            if revision == self._revision:
                self._matrices[owner] = loaded
                while len(self._matrices) > _MOST_MATRICES:
                    self._matrices.popitem(last=False)
        return loaded

    def changed(self, before: Revision, after: Revision, entry_ids: Collection[str], owners: Collection[Owner]) -> None:
        """A write of this process made one revision of another: only the matrices that it touched are dropped.

        It replaced all rows of `entry_ids`; the rows in their place are of `owners`.
        """
        gone = set(entry_ids)
        with self._lock:
            if self._revision != before:
                return
            self._revision = after
            for owner, matrix in list(self._matrices.items()):
                if owner in owners or matrix is None or not gone.isdisjoint(matrix.entry_ids):
                    del self._matrices[owner]
