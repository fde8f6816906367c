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

_MOST_AHEAD = 2_000  # entries; about as many as a person saves in some years


class KeptEntries:
    """Entries by id.

    Args:
        ledger: where they are.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._cache = EntryCache()

    def by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Those of the entries named that count for the person, by id, with what the person did with them.

        They are active, intact, readable by the person, and do not rest. A person's first question reads the newest of
        their own as well, or each of the next ones would read some: that takes longer than finding them.

        Raises:
            StoreError: the ledger cannot be read.
        """
        person, wanted = person_of(scope), set(ids)
        if (kept := self._cache.all_known(self._ledger.reached().event, wanted, person)) is not None:
            return _in_use(kept.values())
        with self._ledger.read() as connection:
            ahead = set(_newest(connection, scope)) if self._cache.is_first(person) else set()
            sequence, known = self._cache.known(connection, wanted, person)
            found = read_readable_by_id(connection, (wanted | ahead) - known.keys(), scope)
            read = with_reactions(connection, list(only_readable_entries(found, scope)), scope)
        self._cache.keep(sequence, read, person)
        return _in_use(entry for entry in (*known.values(), *read) if entry.id in wanted)


def _in_use(found: Iterable[Entry]) -> dict[str, Entry]:
    return {entry.id: entry for entry in found if not entry.resting}


def _newest(connection: Connection, scope: Scope) -> Sequence[str]:
    """Ids of the newest active entries of the person's own; none where the file is damaged there."""
    active = entries.c.status == Status.ACTIVE.value
    query = select(entries.c.id).where(own(entries, scope), active).order_by(entries.c.sequence.desc())
    try:
        return connection.execute(query.limit(_MOST_AHEAD)).scalars().all()
    except DBAPIError as error:
        if not is_damage(error):
            raise
        return ()
