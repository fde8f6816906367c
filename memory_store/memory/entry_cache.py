"""Cache entries for retrieval until the ledger has a newer event about them.

Every change of an entry, its keys or its counters appends an event, in whatever process, so one small query returns the
entries to invalidate.
"""

import threading
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, bindparam, select

from assistant.types import Entry, Scope
from memory_store.ledger.access import belongs_to, bypass_index, filter_readable, is_readable, require_user
from memory_store.ledger.database.schema import entries, events
from memory_store.ledger.entries import ACTIVE, add_limits, read_entries_by_id
from memory_store.ledger.ledger import HANDED_OUT, LAST_EVENT, Ledger

_MOST_ENTRIES = 4_096
_MOST_EVENTS = 1_000  # after more events, clear the cache
_AHEAD = 100  # entries read ahead at a time, which takes a few milliseconds
_MOST_AHEAD = 2_000  # entries of one user, about as many as they save in some years
_MOST_PERSONS = 4_096
_LATER = (
    select(events.c.sequence, events.c.entry_id)
    .where(events.c.sequence > bindparam("sequence"), HANDED_OUT)
    .order_by(events.c.sequence)
    .limit(_MOST_EVENTS)
)


class EntryCache:
    """Cache of entries by user and id, since each user has their own reactions and pauses."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sequence = -1
        self._entries: dict[tuple[str, str], Entry] = {}
        self._read_ahead: dict[str, int] = {}  # user to the number of their newest entries read ahead
        self._lock = threading.Lock()

    def by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Return the active, intact entries with these ids that the user may read, by id.

        A cache miss also reads ahead the next newest of the user's own entries, until all are cached: otherwise nearly
        every question would read a few, which takes longer than retrieval. Users with too many entries get no
        reading ahead.
        """
        person, wanted = require_user(scope), set(ids)
        last = self._ledger.last_event()
        with self._lock:
            known = self._read_cached(wanted, person) if last == self._sequence else {}
        if len(known) == len(wanted):
            return known
        with self._ledger.read() as connection:
            with self._lock:
                # Invalidate before reading, or an entry older than `_sequence` could be cached.
                self._forget_changed(connection)
                sequence, known = self._sequence, self._read_cached(wanted, person)
            ahead = self._find_read_ahead(connection, scope) - known.keys()
            may_read = bypass_index(is_readable(scope))
            found = read_entries_by_id(connection, ahead | (wanted - known.keys()), may_read, ACTIVE)
            read = add_limits(connection, list(filter_readable(found, scope)), scope)
        with self._lock:
            if sequence == self._sequence:
                self._entries |= {(person, entry.id): entry for entry in read}
            while len(self._entries) > _MOST_ENTRIES:
                del self._entries[next(iter(self._entries))]
        return known | {entry.id: entry for entry in read if entry.id in wanted}

    def _read_cached(self, ids: Iterable[str], person: str) -> dict[str, Entry]:
        return {entry_id: entry for entry_id in ids if (entry := self._entries.get((person, entry_id)))}

    def _forget_changed(self, connection: Connection) -> None:
        rows = connection.execute(_LATER, {"sequence": self._sequence}).all()
        if not rows:
            return
        is_cut, changed = len(rows) == _MOST_EVENTS, {row.entry_id for row in rows}
        # An event without an entry's id erased turns, whose questions may be exceptions of any entry.
        if is_cut or "" in changed:
            self._entries.clear()
        self._entries = {key: entry for key, entry in self._entries.items() if entry.id not in changed}
        self._sequence = int(connection.execute(LAST_EVENT).scalar_one()) if is_cut else rows[-1].sequence

    def _find_read_ahead(self, connection: Connection, scope: Scope) -> set[str]:
        """Return the ids of the user's next newest active entries to read ahead."""
        done = self._read_ahead.get(scope.person, 0)
        if done >= _MOST_AHEAD:
            return set()
        if len(self._read_ahead) >= _MOST_PERSONS:
            self._read_ahead.clear()
        newest = select(entries.c.id).where(belongs_to(entries, scope), ACTIVE).order_by(entries.c.sequence.desc())
        has_too_many = not done and connection.execute(newest.offset(_MOST_AHEAD).limit(1)).first() is not None
        ids = () if has_too_many else connection.execute(newest.offset(done).limit(_AHEAD)).scalars().all()
        self._read_ahead[scope.person] = done + _AHEAD if len(ids) == _AHEAD else _MOST_AHEAD
        return set(ids)
