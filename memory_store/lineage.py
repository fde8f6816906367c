"""The line of entries that took one another's place: `supersedes` leads from the newer to the older."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, select

from assistant.types import Entry, Scope, Status
from memory_store.entries import read_entries
from memory_store.schema import entries
from memory_store.scoping import own


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


def line(connection: Connection, entry_id: str, scope: Scope) -> list[str]:
    """Ids of all entries linked to this one by superseding, in either direction, itself included."""
    found: list[str] = []
    waiting = {entry_id}
    while waiting:
        found += sorted(waiting)
        older = select(entries.c.supersedes).where(entries.c.id.in_(waiting), entries.c.supersedes.is_not(None))
        newer = select(entries.c.id).where(entries.c.supersedes.in_(waiting), own(entries, scope))
        linked = set(connection.execute(older).scalars()) | set(connection.execute(newer).scalars())
        waiting = linked - set(found)
    return found
