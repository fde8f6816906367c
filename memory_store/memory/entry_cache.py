"""Cache entries for retrieval until the ledger has a later event about them.

Every change of an entry, its keys or its counters is an event, whichever process makes it, so one small query tells
which entries must be read again. Nothing is served longer than its last event allows.
"""

import threading
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, bindparam, select

from assistant.types import Entry, Scope
from memory_store.ledger.access import never_by_index, only_readable_entries, own, person_of, readable
from memory_store.ledger.database.schema import entries, events
from memory_store.ledger.entries import ACTIVE, read_entries_by_id
from memory_store.ledger.ledger import HANDED_OUT, LAST_EVENT, Ledger
from memory_store.ledger.reactions import with_reactions

_MOST_ENTRIES = 4_096
_MOST_EVENTS = 1_000  # where more have happened meanwhile, everything is read again
_AHEAD = 100  # entries at a time, a few milliseconds
_MOST_AHEAD = 2_000  # entries; about as many as a person saves in some years
_MOST_PERSONS = 4_096
_LATER = (
    select(events.c.sequence, events.c.entry_id)
    .where(events.c.sequence > bindparam("sequence"), HANDED_OUT)
    .order_by(events.c.sequence)
    .limit(_MOST_EVENTS)
)


class EntryCache:
    """Entries by user and id: what a user did with an entry is part of it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sequence = -1
        self._entries: dict[tuple[str, str], Entry] = {}
        self._read_ahead: dict[str, int] = {}  # person to how many of their newest entries were read
        self._lock = threading.Lock()

    def by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Return those of the entries named that are active, intact and readable by the user, by id.

        Where some must be read, so are some more of the user's own, the newest first, until all were: else nearly
        every question reads a few, which takes longer than finding them. Of so many that they would not all be kept
        nothing is read ahead: every question has to read a few.
        """
        person, wanted = person_of(scope), set(ids)
        last = self._ledger.last_event()
        with self._lock:
            known = self._known(wanted, person) if last == self._sequence else {}
        if len(known) == len(wanted):
            return known
        with self._ledger.read() as connection:
            with self._lock:
                # Nothing may be read before this, or a state older than the cache's would be kept.
                self._forget_changed(connection)
                sequence, known = self._sequence, self._known(wanted, person)
            ahead = self._ahead(connection, scope) - known.keys()
            may_read = never_by_index(readable(scope))
            found = read_entries_by_id(connection, ahead | (wanted - known.keys()), may_read, ACTIVE)
            read = with_reactions(connection, list(only_readable_entries(found, scope)), scope)
        with self._lock:
            if sequence == self._sequence:
                self._entries |= {(person, entry.id): entry for entry in read}
            while len(self._entries) > _MOST_ENTRIES:
                del self._entries[next(iter(self._entries))]
        return known | {entry.id: entry for entry in read if entry.id in wanted}

    def _known(self, ids: Iterable[str], person: str) -> dict[str, Entry]:
        return {entry_id: entry for entry_id in ids if (entry := self._entries.get((person, entry_id)))}

    def _forget_changed(self, connection: Connection) -> None:
        rows = connection.execute(_LATER, {"sequence": self._sequence}).all()
        if not rows:
            return
        is_cut, changed = len(rows) == _MOST_EVENTS, {row.entry_id for row in rows}
        # Without an entry's id, a turn was erased, and its question may stand in any entry's reactions.
        if is_cut or "" in changed:
            self._entries.clear()
        self._entries = {key: entry for key, entry in self._entries.items() if entry.id not in changed}
        self._sequence = int(connection.execute(LAST_EVENT).scalar_one()) if is_cut else rows[-1].sequence

    def _ahead(self, connection: Connection, scope: Scope) -> set[str]:
        """Return the ids of the next of the newest active entries of the user's own."""
        done = self._read_ahead.get(scope.person, 0)
        if done >= _MOST_AHEAD:
            return set()
        if len(self._read_ahead) >= _MOST_PERSONS:
            self._read_ahead.clear()
        newest = select(entries.c.id).where(own(entries, scope), ACTIVE).order_by(entries.c.sequence.desc())
        has_too_many = not done and connection.execute(newest.offset(_MOST_AHEAD).limit(1)).first() is not None
        ids = () if has_too_many else connection.execute(newest.offset(done).limit(_AHEAD)).scalars().all()
        self._read_ahead[scope.person] = done + _AHEAD if len(ids) == _AHEAD else _MOST_AHEAD
        return set(ids)
