"""After an erasure: its bytes out of every file. The ledger notes until then where they may still lie.

Deleting a row deletes no bytes by itself: SQLite keeps copies in its pages and its log, and LanceDB keeps what was
deleted in data files, transactions and manifests. So both are written anew, from what is left.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from sqlalchemy import select, update

from memory_store.index import Index
from memory_store.ledger import Ledger
from memory_store.schema import erasures

Place = Literal["in_ledger", "in_index"]


class Sweep:
    """Which erasures have bytes left in files, and how they are got rid of."""

    def __init__(self, ledger: Ledger, index: Index) -> None:
        self._ledger = ledger
        self._index = index

    def waiting(self, place: Place) -> list[str]:
        """Ids of the erasures whose bytes may still lie in this place.

        Raises:
            StoreError: the ledger cannot be read.
        """
        with self._ledger.read() as connection:
            return list(connection.execute(select(erasures.c.id).where(erasures.c[place])).scalars())

    def is_done(self, erasure_id: str) -> bool:
        """Whether the bytes of an erasure are in no file any more."""
        left = erasures.c.in_ledger | erasures.c.in_index
        with self._ledger.read() as connection:
            return connection.execute(select(erasures.c.id).where(erasures.c.id == erasure_id, left)).first() is None

    def is_over(self) -> bool:
        """Whether nothing that was erased is left in any file."""
        return not self.waiting("in_ledger") and not self.waiting("in_index")

    def ledger(self) -> None:
        """Write the ledger anew where something was erased from it."""
        waiting = self.waiting("in_ledger")
        if waiting and self._ledger.wipe():
            self._note("in_ledger", waiting)

    def index(self, waiting: Collection[str]) -> None:
        """Write the index anew; it follows the ledger already, so that these erasures are carried out in it.

        Raises:
            IndexUnavailable: it cannot be written.
        """
        if waiting:
            self._index.rewrite()
            self._note("in_index", waiting)

    def _note(self, place: Place, done: Collection[str]) -> None:
        with self._ledger.write() as connection:
            for erasure_id in done:
                connection.execute(update(erasures).where(erasures.c.id == erasure_id).values({place: False}))
