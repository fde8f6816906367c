"""Entries as they were last read and checked, for as long as the ledger has no later event about them.

Every change of an entry, its keys or its counters is an event, whichever process makes it, so one small query tells
which entries must be read again. Nothing is served longer than its last event allows.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, func, literal_column, select

from assistant.types import Entry
from memory_store.schema import counters, events

_MOST_ENTRIES = 4_096
_MOST_EVENTS = 1_000  # where more have happened meanwhile, everything is read again
# A damaged number, beyond all that were handed out, must not hide what happens from now on.
_HANDED_OUT = events.c.sequence <= select(counters.c.sequence).scalar_subquery()
LAST_EVENT = select(func.coalesce(func.max(events.c.sequence), literal_column("0"))).where(_HANDED_OUT)
"""Where its number stays, so does all that there is to know about every entry; 0 before the first event."""
_LATER = (
    select(events.c.sequence, events.c.entry_id)
    .where(events.c.sequence > bindparam("sequence"), _HANDED_OUT)
    .order_by(events.c.sequence)
    .limit(_MOST_EVENTS)
)


class EntryCache:
    """Entries by person and id: what a person did with an entry is part of it."""

    def __init__(self) -> None:
        self._sequence = -1
        self._entries: OrderedDict[tuple[str, str], Entry] = OrderedDict()
        self._persons: dict[str, set[str]] = defaultdict(set)
        self._lock = threading.Lock()

    def all_known(self, last: int, ids: Iterable[str], person: str) -> dict[str, Entry] | None:
        """The entries by id, where no event came since `known` looked, and all were kept; else None.

        Args:
            last: the number of `LAST_EVENT` by now.
            ids: of the entries.
            person: who asks.
        """
        with self._lock:
            if last != self._sequence:
                return None
            found = {entry_id: entry for entry_id in ids if (entry := self._entries.get((person, entry_id)))}
        return None if len(found) < len(set(ids)) else found

    def known(self, connection: Connection, ids: Iterable[str], person: str) -> tuple[int, dict[str, Entry]]:
        """What is still as it was read.

        Args:
            connection: nothing was read in it yet. What it reads first, it reads while nobody else asks here: so it
                never shows an older state than the one that entries are kept of.
            ids: of the entries.
            person: who asks.

        Returns:
            The last event that was taken into account, which belongs to `keep`, and the entries by id.
        """
        with self._lock:
            self._forget_changed(connection)
            found = {entry_id: self._entries.get((person, entry_id)) for entry_id in ids}
            return self._sequence, {entry_id: entry for entry_id, entry in found.items() if entry is not None}

    def missing(self, ids: Iterable[str], person: str) -> list[str]:
        """Those of the ids whose entries are not kept."""
        with self._lock:
            return [entry_id for entry_id in ids if (person, entry_id) not in self._entries]

    def keep(self, sequence: int, entries: Iterable[Entry], person: str) -> None:
        """Keep what was read after `known` returned `sequence`, in the same connection, for later."""
        with self._lock:
            if sequence != self._sequence:
                return
            for entry in entries:
                self._entries[person, entry.id] = entry
                self._persons[entry.id].add(person)
            while len(self._entries) > _MOST_ENTRIES:
                (owner, entry_id), _ = self._entries.popitem(last=False)
                self._persons[entry_id].discard(owner)
                if not self._persons[entry_id]:
                    del self._persons[entry_id]

    def _forget_changed(self, connection: Connection) -> None:
        rows = connection.execute(_LATER, {"sequence": self._sequence}).all()
        if len(rows) == _MOST_EVENTS:
            self._forget_all()
            self._sequence = int(connection.execute(LAST_EVENT).scalar_one())
            return
        for sequence, entry_id in rows:
            self._sequence = sequence
            if not entry_id:  # a turn was erased, and its question may stand in any entry's reactions
                self._forget_all()
            for person in self._persons.pop(entry_id, ()):
                self._entries.pop((person, entry_id), None)

    def _forget_all(self) -> None:
        self._entries.clear()
        self._persons.clear()
