"""After an erasure: its bytes out of every file. The ledger notes until then where they may still lie.

Deleting a row deletes no bytes by itself: SQLite keeps copies in its pages and its log, and LanceDB keeps what was
deleted in data files, transactions and manifests. So both are written anew, from what is left.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from sqlalchemy import select, update

from memory_store.index.index import Index
from memory_store.ledger.database.schema import erasures
from memory_store.ledger.ledger import Ledger

Place = Literal["in_ledger", "in_index"]


class Purge:
    """Which erasures have bytes left in files, and how they are got rid of. StoreError: the ledger cannot be read."""

    def __init__(self, ledger: Ledger, index: Index) -> None:
        self._ledger = ledger
        self._index = index

    def waiting(self, place: Place) -> list[str]:
        """Ids of the erasures whose bytes may still lie in this place."""
        with self._ledger.read() as connection:
            return list(connection.execute(select(erasures.c.id).where(erasures.c[place])).scalars())

    def left(self) -> set[str]:
        """Ids of the erasures whose bytes may still lie anywhere."""
        return {*self.waiting("in_ledger"), *self.waiting("in_index")}

    def ledger(self) -> None:
        """Write the ledger anew where something was erased from it."""
        waiting = self.waiting("in_ledger")
        if waiting and self._ledger.wipe():
            self._note("in_ledger", waiting)

    def index(self, waiting: Collection[str]) -> None:
        """Write the index anew; it follows the ledger already, so that these erasures are carried out in it."""
        if waiting:
            self._index.rewrite()
            self._note("in_index", waiting)

    def _note(self, place: Place, done: Collection[str]) -> None:
        with self._ledger.write() as connection:
            connection.execute(update(erasures).where(erasures.c.id.in_(done)).values({place: False}))
