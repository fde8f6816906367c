"""Versions of entries: `supersedes` links a newer entry to the older one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection

from assistant.types import Entry, Scope, Status
from memory_store.ledger.access import belongs_to, bypass_index
from memory_store.ledger.database.schema import entries
from memory_store.ledger.entries import read_entries, read_entries_by_id

_SUPERSEDED = entries.c.status == Status.SUPERSEDED.value


def find_successor(connection: Connection, entry: Entry) -> Entry | None:
    """Return the entry that superseded this one and was not retracted since."""
    condition = (entries.c.supersedes == entry.id, entries.c.status != Status.RETRACTED.value)
    return next(iter(read_entries(connection, *condition, limit=1)), None)


def find_head(connection: Connection, *conditions: ColumnElement[bool]) -> Entry | None:
    """Return the active latest version of the entry that meets all conditions, or None."""
    entry = next(iter(read_entries(connection, *conditions)), None)
    while entry is not None and entry.status == Status.SUPERSEDED:
        entry = find_successor(connection, entry)
    return entry if entry is not None and entry.status == Status.ACTIVE else None


def find_predecessors(connection: Connection, of: Iterable[Entry], scope: Scope) -> dict[str, list[Entry]]:
    """Return the older versions of each of the user's entries, newest first.

    The list stops before a retracted version, which would not be restored. Entries without older versions are omitted.
    """
    mine = bypass_index(belongs_to(entries, scope))
    older = {entry.id: entry.supersedes for entry in of if entry.supersedes}
    found: dict[str, list[Entry]] = defaultdict(list)
    while older:
        known = {entry.id: entry for entry in read_entries_by_id(connection, older.values(), mine, _SUPERSEDED)}
        older = {entry_id: forerunner for entry_id, forerunner in older.items() if forerunner in known}
        for entry_id, forerunner in older.items():
            found[entry_id].append(known[forerunner])
        older = {entry_id: further for entry_id, before in older.items() if (further := known[before].supersedes)}
    return dict(found)


def add_replaced(connection: Connection, line: Sequence[Entry], scope: Scope) -> list[Entry]:
    """Return the versions, newest first, followed by other entries that they replaced."""
    known = {entry.id for entry in line}
    ids = [name for entry in line for name in entry.body.replaced if name not in known]
    found = read_entries_by_id(connection, ids, bypass_index(belongs_to(entries, scope)), _SUPERSEDED)
    return [*line, *sorted(found, key=lambda entry: -entry.sequence)]
