"""Entries for recall: read from the ledger once, and from then on kept for as long as they stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError

from assistant.types import Entry, Scope, Status
from memory_store.entries import read_readable_by_id
from memory_store.entry_cache import EntryCache
from memory_store.ledger import Ledger, is_damage
from memory_store.reactions import with_reactions
from memory_store.schema import entries
from memory_store.scoping import only_readable_entries, own, person_of

_AHEAD = 100  # entries at a time, a few milliseconds
_MOST_AHEAD = 2_000  # entries; about as many as a person saves in some years
_MOST_PERSONS = 4_096


class KeptEntries:
    """Entries by id.

    Args:
        ledger: where they are.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._cache = EntryCache()
        self._read_ahead: dict[str, int] = {}
        """How many of their newest entries were read, by person."""

    def by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Those of the entries named that count for the person, by id, with what the person did with them.

        They are active, intact, readable by the person, and do not rest. Where some must be read, so are some more of
        the person's own, the newest first, until all are there: else nearly every question reads a few, which takes
        longer than finding them.

        Raises:
            StoreError: the ledger cannot be read.
        """
        person, wanted = person_of(scope), set(ids)
        if (kept := self._cache.all_known(self._ledger.reached().event, wanted, person)) is not None:
            return _in_use(kept.values())
        with self._ledger.read() as connection:
            some = wanted.union(self._next_ahead(connection, scope))
            sequence, known = self._cache.known(connection, some, person)
            found = read_readable_by_id(connection, some - known.keys(), scope)
            read = with_reactions(connection, list(only_readable_entries(found, scope)), scope)
        self._cache.keep(sequence, read, person)
        return _in_use(entry for entry in (*known.values(), *read) if entry.id in wanted)

    def _next_ahead(self, connection: Connection, scope: Scope) -> Sequence[str]:
        """Ids of the next active entries of the person's own; none where the file is damaged there."""
        done = self._read_ahead.get(scope.person, 0)
        if done >= _MOST_AHEAD:
            return ()
        active = entries.c.status == Status.ACTIVE.value
        query = select(entries.c.id).where(own(entries, scope), active).order_by(entries.c.sequence.desc())
        try:
            found = connection.execute(query.offset(done).limit(_AHEAD)).scalars().all()
        except DBAPIError as error:
            if not is_damage(error):
                raise
            found = ()
        if len(self._read_ahead) >= _MOST_PERSONS:
            self._read_ahead.clear()
        self._read_ahead[scope.person] = done + _AHEAD if len(found) == _AHEAD else _MOST_AHEAD
        return found


def _in_use(found: Iterable[Entry]) -> dict[str, Entry]:
    return {entry.id: entry for entry in found if not entry.resting}
