"""Entries for recall: read from the ledger once, and from then on kept for as long as they stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, select
from sqlalchemy.exc import DBAPIError

from assistant.types import Entry, Scope, Status
from memory_store.entries import read_readable_by_id
from memory_store.entry_cache import LAST_EVENT, EntryCache
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
        the person's own, the newest first, until all were: else nearly every question reads a few, which takes longer
        than finding them.

        Raises:
            StoreError: the ledger cannot be read.
        """
        person, wanted = person_of(scope), set(ids)
        if (kept := self._cache.all_known(self._ledger.number(LAST_EVENT), wanted, person)) is not None:
            return _in_use(kept.values())
        with self._ledger.read() as connection:
            # Nothing may be read before this: what a state older than the cache's shows would be kept.
            sequence, known = self._cache.known(connection, wanted, person)
            read = _read(connection, wanted - known.keys(), scope)
            ahead = self._ahead(connection, scope)
        self._cache.keep(sequence, (*read, *ahead), person)
        return _in_use((*known.values(), *read))

    def _ahead(self, connection: Connection, scope: Scope) -> Sequence[Entry]:
        """The next of the newest active entries of the person's own; none where the file is damaged there."""
        done = self._read_ahead.get(scope.person, 0)
        if done >= _MOST_AHEAD:
            return ()
        if len(self._read_ahead) >= _MOST_PERSONS:
            self._read_ahead.clear()
        self._read_ahead[scope.person] = _MOST_AHEAD  # what fails is not tried again
        try:
            ids = list(connection.execute(_newest(scope).offset(done).limit(_AHEAD)).scalars())
            read = _read(connection, self._cache.missing(ids, scope.person), scope)
        except DBAPIError as error:
            if not is_damage(error):
                raise
            return ()
        if len(ids) == _AHEAD:
            self._read_ahead[scope.person] = done + _AHEAD
        return read


def _read(connection: Connection, ids: Iterable[str], scope: Scope) -> list[Entry]:
    found = read_readable_by_id(connection, ids, scope)
    return with_reactions(connection, list(only_readable_entries(found, scope)), scope)


def _newest(scope: Scope) -> Select[Any]:
    """Ids of the active entries of the person's own."""
    active = entries.c.status == Status.ACTIVE.value
    return select(entries.c.id).where(own(entries, scope), active).order_by(entries.c.sequence.desc())


def _in_use(found: Iterable[Entry]) -> dict[str, Entry]:
    return {entry.id: entry for entry in found if not entry.resting}
