"""Versions of entries: `supersedes` links a newer entry to the older one."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, and_, select

from assistant.types import Entry, Scope, Status
from memory_store.ledger.access import belongs_to, bypass_index
from memory_store.ledger.database.schema import entries
from memory_store.ledger.entries import read_entries, read_entries_by_id
from memory_store.ledger.rows import read_rows_with, text_in_json

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


def find_limited_to(connection: Connection, conversation: str, scope: Scope) -> set[str]:
    """Return the ids of a user's entries whose reach is this conversation and was never widened."""
    wider = entries.alias()
    is_wide = text_in_json(connection, wider.c.body, "only_in") == ""
    is_wider = (wider.c.supersedes == entries.c.id, wider.c.status != Status.RETRACTED.value, is_wide)
    narrow = (belongs_to(entries, scope), text_in_json(connection, entries.c.body, "only_in") == conversation)
    widened = select(wider.c.id).join(entries, and_(*is_wider)).where(*narrow)
    ids = set(connection.execute(select(entries.c.id).where(*narrow)).scalars())
    return ids - find_linked_versions(connection, set(connection.execute(widened).scalars()))


def find_linked_versions(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Return the ids of all entries linked to these by superseding or replacing, these included.

    Links to newer entries are followed across owners, links to older ones only within one owner: no user can reach
    another user's entry by superseding or copying it.
    """
    columns = (entries.c.id, entries.c.owner, entries.c.supersedes, entries.c.body)
    found: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        found |= waiting
        rows = list(read_rows_with(connection, select(*columns), entries.c.id, waiting))
        older = {(row.owner, name) for row in rows for name in (row.supersedes, *(row.body or {}).get("replaced", ()))}
        named = read_rows_with(connection, select(*columns[:2]), entries.c.id, {name for _, name in older if name})
        newer = read_rows_with(connection, select(entries.c.id), entries.c.supersedes, waiting)
        waiting = {row.id for row in named if (row.owner, row.id) in older} | {row.id for row in newer}
        waiting -= found
    return found
