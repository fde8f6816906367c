"""Conversations are kept for so many days; then their turns are erased. Entries stay until somebody erases them.

A clock that jumps ahead must not take everything with it: what time it is counts only once a later look, a day or more
after, has found the clock still there. So a jump has to last for a day before anything is erased because of it, and
everything goes about a day later than its time. Two days are kept for that in the ledger.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, insert, select

from assistant.errors import StoreError
from memory_store.erased_rows import delete_turns
from memory_store.ledger import Ledger
from memory_store.schema import EventKind, erasures, meta, turns

_log = logging.getLogger(__name__)

_DAY = timedelta(days=1)
_LOOK_EVERY = 3600.0  # seconds; what is to be done changes once a day
_BATCH = 500  # turns of one transaction: nobody waits long for it
_CLOSING_SECONDS = 5.0
_NOTE = "retention"
_BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)


def nothing_else(_now: datetime) -> None:
    """Old turns are all that is erased by itself."""


class Retention:
    """Erases old turns, at start and then once a day.

    Args:
        ledger: where they are.
        days: how long turns are kept.
        erased: called after turns were erased, so that their bytes go from the files; returns at once, never raises.
        further: looks for what else is to be erased by now, each time after this did; raises StoreError as `look`.
    """

    def __init__(
        self,
        ledger: Ledger,
        days: int,
        erased: Callable[[], None],
        further: Callable[[datetime], None] = nothing_else,
    ) -> None:
        self._ledger = ledger
        self._keep = timedelta(days=days)
        self._erased = erased
        self._further = further
        self._closing = threading.Event()
        self._worker: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in the background."""
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="retention", daemon=True)
            self._worker.start()

    def close(self) -> None:
        """End, after the batch that it is at."""
        self._closing.set()
        if self._worker is not None:
            self._worker.join(_CLOSING_SECONDS)

    def look(self, now: datetime) -> int:
        """Erase what is too old by now.

        Args:
            now: what the clock says (UTC).

        Returns:
            How many turns were erased.

        Raises:
            StoreError: the ledger cannot be read or written.
        """
        with self._ledger.write() as connection:
            until = max(_trusted(connection, now), _BEFORE_ALL + self._keep) - self._keep
        erased = 0
        while not self._closing.is_set() and (some := self._erase(until)):
            erased += some
        if erased:
            _log.info("%d turns were older than %d days and are erased.", erased, self._keep.days)
            self._erased()
        return erased

    def _erase(self, until: datetime) -> int:
        with self._ledger.write() as connection:
            old = select(turns.c.id).where(turns.c.created < until.isoformat()).order_by(turns.c.sequence).limit(_BATCH)
            counts = delete_turns(connection, connection.execute(old).scalars().all())
            if counts:
                row = {"id": str(uuid.uuid4()), "created": datetime.now(UTC).isoformat(), "erased": dict(counts)}
                connection.execute(insert(erasures), row | {"in_ledger": True, "in_index": False})
                self._ledger.append(connection, EventKind.TURN_ERASED, "", "")  # whoever holds one in memory lets go
        return counts["turns"]

    def _work(self) -> None:
        while not self._closing.is_set():
            try:
                self.look(datetime.now(UTC))
                self._further(datetime.now(UTC))
            except StoreError as error:
                _log.warning("Old turns could not be erased; it is tried again. %s", error)
            self._closing.wait(_LOOK_EVERY)


def _trusted(connection: Connection, now: datetime) -> datetime:
    """The time that a look a day later has confirmed; never later than now. The look of now is noted."""
    noted = connection.execute(select(meta.c.value).where(meta.c.name == _NOTE)).scalar()
    last, trusted = (datetime.fromisoformat(day) for day in json.loads(noted)) if noted else (now, _BEFORE_ALL)
    if now < last:
        last = now
    elif now - last >= _DAY:
        last, trusted = now, last
    trusted = min(trusted, now)
    connection.execute(delete(meta).where(meta.c.name == _NOTE))
    connection.execute(insert(meta), {"name": _NOTE, "value": json.dumps([last.isoformat(), trusted.isoformat()])})
    return trusted
