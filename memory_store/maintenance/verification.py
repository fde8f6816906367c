"""Check the ledger by SQLite's integrity check and by the checksum of every entry with its keys."""

from collections.abc import Iterator

from sqlalchemy import func, select

from assistant.errors import StoreError
from assistant.reports.upkeep import Damage, Progress
from memory_store.ledger.database.schema import entries
from memory_store.ledger.entries import read_entries_by_id
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import split_into_batches


def count_entries(ledger: Ledger) -> int:
    """Return the number of entries of any status; 0 if they cannot be counted."""
    try:
        with ledger.read() as connection:
            return int(connection.execute(select(func.count()).select_from(entries)).scalar_one())
    except StoreError:
        return 0


def find_damage(ledger: Ledger, progress: Progress) -> Iterator[Damage]:
    """Yield all damage in the ledger; a failed check does not stop the other."""
    progress("The ledger's file…")
    try:
        yield from (Damage("file", "", fault) for fault in ledger.faults())
    except StoreError as error:
        yield Damage("file", "", str(error))
    done = 0
    try:
        with ledger.read() as connection:
            ids = connection.execute(select(entries.c.id).order_by(entries.c.id)).scalars().all()
            for some in split_into_batches(ids):
                whole = {entry.id for entry in read_entries_by_id(connection, some)}
                yield from (Damage("entry", name, "it is not what was saved") for name in some if name not in whole)
                done += len(some)
                progress(f"Entries: {done:,} of {len(ids):,} looked at.")
    except StoreError as error:
        yield Damage("file", "", str(error))
