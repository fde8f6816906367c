"""The line of entries that took one another's place: `supersedes` leads from the newer to the older."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, select

from assistant.types import Entry, Status
from memory_store.entries import read_entries
from memory_store.reactions import batches
from memory_store.schema import entries


def successor(connection: Connection, entry: Entry) -> Entry | None:
    """The entry that superseded this one and was not taken back since."""
    condition = (entries.c.supersedes == entry.id, entries.c.status != Status.RETRACTED.value)
    return next(iter(read_entries(connection, *condition, limit=1)), None)


def head(connection: Connection, *conditions: ColumnElement[bool]) -> Entry | None:
    """The active entry that the one meeting all conditions has become; None if there is none, or it is damaged."""
    entry = next(iter(read_entries(connection, *conditions)), None)
    while entry is not None and entry.status == Status.SUPERSEDED:
        entry = successor(connection, entry)
    return entry if entry is not None and entry.status == Status.ACTIVE else None


def lines(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Ids of all entries linked to these by superseding, themselves included.

    Whatever came of an entry is linked to it, whoever owns that; what it came of itself, only where the owner is the
    same: nobody can reach another person's entry by way of what came of it.
    """
    older_one = entries.alias()
    found: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        found |= waiting
        linked: set[str] = set()
        for some in batches(sorted(waiting)):
            older = select(older_one.c.id).join(
                entries, (entries.c.supersedes == older_one.c.id) & (entries.c.owner == older_one.c.owner)
            )
            linked |= set(connection.execute(older.where(entries.c.id.in_(some))).scalars())
            linked |= set(connection.execute(select(entries.c.id).where(entries.c.supersedes.in_(some))).scalars())
        waiting = linked - found
    return found
