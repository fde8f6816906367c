"""Makes the table of an embedder from the ledger, a batch at a time, while another may serve.

A batch is read and embedded without the right to write, which is held only while it is added, so nobody waits for an
embedder. What changed meanwhile is left out, and read again as a change; so nothing comes back that was erased.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

from assistant.errors import StoreError
from memory_store.index.index import IndexUnavailable
from memory_store.index.projection import Projection
from memory_store.index.rows import Row
from memory_store.index.switching.partial_table import PartialTable, Place
from memory_store.ledger.embedder_records import note_progress
from memory_store.ledger.ledger import Ledger

_BATCH = 64  # entries: some seconds of an embedder at most, which a kill costs
_MOST_CHANGES = 1_000  # that are looked through for what a batch must leave out
_NOTED_EVERY = 1.0  # seconds

Alone = Callable[[], AbstractContextManager[None]]
"""The right to write, while it is entered. Raises IndexUnavailable: another process has it."""


class _Batch(NamedTuple):
    rows: list[Row]
    to: Place
    changed: Sequence[str] = ()  # ids whose rows these are instead of


@dataclass
class Making:
    """Makes one table; `key` is that of its embedder (`memory_store.ledger.embedder_records`)."""

    _ledger: Ledger
    _projection: Projection
    _alone: Alone
    _key: str
    read: int = 0  # entries, as far as it came
    has_more: bool = False  # whether as many again may follow, at least
    _table: PartialTable | None = None
    _noted: float = 0.0

    def step(self, *, all_vectors: bool) -> bool:
        """Go on by one batch; whether the table is whole now.

        Unless `all_vectors` must be there, rows go without while the embedder fails. Raises IndexUnavailable.
        """
        table = self._opened()
        place, seen = table.place(), self._ledger.last_change()
        if place is None or place.since > seen:  # the ledger was restored perhaps
            return self._begun(table, seen)
        self.read = place.read
        batch = self._next(place)
        if batch is None:
            return self._finished(table, place)
        rows = self._projection.with_vectors(batch.rows)
        if all_vectors and self._projection.vectors_missing:
            self._projection.vectors_missing = False
            raise IndexUnavailable
        with self._alone():
            changes = self._ledger.changes(seen, _MOST_CHANGES)
            if table.place() != place or len(changes) == _MOST_CHANGES:
                return False  # another process was quicker, or much is going on
            changed = {change.entry_id for change in changes}
            kept = [row for row in rows if row["entry_id"] not in changed]
            if batch.changed:
                table.replace(batch.changed, kept, batch.to)
            else:
                table.add(kept, batch.to)
        if monotonic() - self._noted > _NOTED_EVERY:
            self._note(table, batch.to.read)
        return False

    def _opened(self) -> PartialTable:
        """Asks the embedder for what may take a call of its server. Raises IndexUnavailable."""
        if self._table is None:
            self._table = self._projection.partial()
        return self._table

    def _begun(self, table: PartialTable, since: int) -> bool:
        with self._alone():
            if table.is_whole():  # by another process
                return True
            if (place := table.place()) is None or place.since > since:
                table.begin(since)
        self._note(table, 0)
        return False

    def _next(self, place: Place) -> _Batch | None:
        """What follows: entries, then names, then what changed since it was begun; None where nothing does."""
        here, batch = self._projection, place.batch + 1
        page = here.entries_after(place.entries, _BATCH)
        self.has_more = page.number == _BATCH
        if page.number:
            return _Batch(page.rows, place._replace(entries=page.last, read=place.read + page.number, batch=batch))
        if (page := here.names_after(place.names, _BATCH)).number:
            return _Batch(page.rows, place._replace(names=page.last, batch=batch))
        if changes := self._ledger.changes(place.since, _BATCH):
            ids = sorted({change.entry_id for change in changes})
            return _Batch(here.rows_now(ids), place._replace(since=changes[-1].sequence, batch=batch), ids)
        return None

    def _finished(self, table: PartialTable, place: Place) -> bool:
        with self._alone():
            if table.place() != place or self._ledger.changes(place.since, 1):
                return False
            table.finish(place.since)
        self._note(table, None)
        return True

    def _note(self, table: PartialTable, read: int | None) -> None:
        with suppress(StoreError):  # a ledger that is full is no hindrance
            note_progress(self._ledger, self._key, table.name, read)
        self._noted = monotonic()
