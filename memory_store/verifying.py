"""Looks through the whole memory: whether every row of the ledger is what was written."""

from __future__ import annotations

from sqlalchemy import func, select

from assistant.upkeep import Damage, Progress, Verification
from memory_store.entries import read_entries_by_id
from memory_store.ledger import Ledger
from memory_store.schema import entries

_BATCH = 500


def verify(ledger: Ledger, progress: Progress) -> Verification:
    """Check every entry of the ledger.

    Raises:
        StoreError: the ledger cannot be read.
    """
    damaged: list[Damage] = []
    with ledger.read() as connection:
        ids = list(connection.execute(select(entries.c.id).order_by(entries.c.sequence)).scalars())
        total = connection.execute(select(func.count()).select_from(entries)).scalar_one()
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            whole = {entry.id for entry in read_entries_by_id(connection, some)}
            damaged += [
                Damage("entry", entry_id, "it is not what was saved") for entry_id in some if entry_id not in whole
            ]
            progress(f"Entries: {min(start + _BATCH, total):,} of {total:,}.")
    return Verification(len(ids), tuple(damaged))
