"""The line of entries that took one another's place: `supersedes` leads from the newer to the older."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, and_, select

from assistant.types import Entry, Scope, Status
from memory_store.ledger.access import never_by_index, own
from memory_store.ledger.database.schema import entries
from memory_store.ledger.entries import read_entries, read_entries_by_id
from memory_store.ledger.rows import rows_with, text_in_json


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


def forerunners(connection: Connection, entry_ids: Iterable[str], scope: Scope) -> dict[str, list[Entry]]:
    """For each of these entries of the person's own, those that it superseded one after the other, newest first.

    The line ends where one was taken back: that one would not come back. Entries without any are missing.
    """
    mine = never_by_index(own(entries, scope))
    links = select(entries.c.id, entries.c.supersedes).where(entries.c.supersedes.is_not(None), mine)
    older: dict[str, str] = {row.id: row.supersedes for row in rows_with(connection, links, entries.c.id, entry_ids)}
    found: dict[str, list[Entry]] = defaultdict(list)
    while older:
        superseded = entries.c.status == Status.SUPERSEDED.value
        known = {entry.id: entry for entry in read_entries_by_id(connection, older.values(), mine, superseded)}
        for entry_id, forerunner in older.items():
            if forerunner in known:
                found[entry_id].append(known[forerunner])
        older = {
            entry_id: further
            for entry_id, forerunner in older.items()
            if forerunner in known and (further := known[forerunner].supersedes)
        }
    return dict(found)


def with_replaced(connection: Connection, line: Sequence[Entry], scope: Scope) -> list[Entry]:
    """An entry and its forerunners, newest first; behind them what they had replaced without a place in the line."""
    known = {entry.id for entry in line}
    ids = [name for entry in line for name in entry.body.replaced if name not in known]
    mine = never_by_index(own(entries, scope))
    superseded = entries.c.status == Status.SUPERSEDED.value
    found = read_entries_by_id(connection, ids, mine, superseded) if ids else ()
    return [*line, *sorted(found, key=lambda entry: -entry.sequence)]


def counting_only_in(connection: Connection, conversation: str, scope: Scope) -> set[str]:
    """Ids of a person's entries that count in this conversation alone, but for those that came to count in all."""
    wider = entries.alias()
    is_wide = text_in_json(connection, wider.c.body, "only_in") == ""
    is_wider = (wider.c.supersedes == entries.c.id, wider.c.status != Status.RETRACTED.value, is_wide)
    narrow = (own(entries, scope), text_in_json(connection, entries.c.body, "only_in") == conversation)
    widened = select(wider.c.id).join(entries, and_(*is_wider)).where(*narrow)
    ids = set(connection.execute(select(entries.c.id).where(*narrow)).scalars())
    return ids - lines(connection, set(connection.execute(widened).scalars()))


def lines(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Ids of all entries linked to these by superseding, themselves included.

    What an entry replaced is linked to it, too. Whatever came of an entry is linked to it, whoever owns that; what it
    came of itself, only where the owner is the same: nobody can reach another person's entry by way of what came of it.
    """
    older_one = entries.alias()
    is_older = (entries.c.supersedes == older_one.c.id) & (entries.c.owner == older_one.c.owner)
    older, newer = select(older_one.c.id).join(entries, is_older), select(entries.c.id)
    found: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        found |= waiting
        linked = {row.id for row in rows_with(connection, older, entries.c.id, waiting)}
        linked |= {row.id for row in rows_with(connection, newer, entries.c.supersedes, waiting)}
        linked |= _replaced(connection, waiting)
        waiting = linked - found
    return found


def _replaced(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """What these had replaced, with or without a place in their lines."""
    bodies = rows_with(connection, select(entries.c.owner, entries.c.body), entries.c.id, entry_ids)
    named = {(row.owner, name) for row in bodies for name in (row.body or {}).get("replaced", ())}
    found = rows_with(connection, select(entries.c.id, entries.c.owner), entries.c.id, {name for _, name in named})
    return {row.id for row in found if (row.owner, row.id) in named}
