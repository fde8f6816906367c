"""Conversations are kept for so many days; then their turns are erased. Entries stay until somebody erases them.

A clock that jumps ahead must not take everything with it: `PassingTime` says what time counts.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, select, union_all

from assistant.background import BackgroundWork
from assistant.errors import StoreError
from assistant.types import Scope
from memory_store.custody.erasing import Erasing
from memory_store.ledger.database.schema import EventKind, entries, erasures, events, meta, turns
from memory_store.ledger.erased_rows import delete_turns
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.provenance import keep_uses_of

_log = logging.getLogger(__name__)

_LOOK_EVERY = 3600.0  # seconds
BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_NOTE = "passing time"
_BATCH = 500  # turns of one transaction: nobody waits long for it


@dataclass(frozen=True, slots=True)
class _Look:
    """A look, of whichever process, and what it found."""

    time: datetime  # which counts
    clock: datetime  # what the clock said
    since: datetime  # when it was ahead first, as the clock says, of those looks that follow one another
    ahead: timedelta  # how far it has been ahead since, at least, at every look

    def next(self, clock: datetime, passed: timedelta) -> _Look:
        """A look so much later."""
        time = self.time + min(passed, max(clock - self.clock, timedelta()))
        if clock <= time:
            return _Look(clock, clock, clock, timedelta())
        ahead, since = min(self.ahead, clock - time), min(self.since, clock)
        if ahead and clock - since < _DAY:
            return _Look(time, clock, since, ahead)
        time += ahead
        return _Look(time, clock, clock, clock - time)


class PassingTime:
    """What time it is, for one process, as far as anything may be erased because of it.

    Time passes as far as the clock and `steady`, which counts seconds from anywhere and never jumps, both say so from
    one look to the next. What the clock is ahead of that counts a day after a look has found it, if it was so far ahead
    at every look since. A clock that is behind counts at once: it erases less.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._looked: float | None = None

    def look(self, connection: Connection, clock: datetime) -> datetime:
        """The time that counts, never later than what the clock says. Noted by a `connection` of `Ledger.write`."""
        now = self._steady()
        passed = timedelta(seconds=0 if self._looked is None else now - self._looked)
        self._looked = now
        noted = connection.execute(select(meta.c.value).where(meta.c.name == _NOTE)).scalar()
        last = _Look(BEFORE_ALL, clock, clock, timedelta())
        if noted:
            *times, ahead = json.loads(noted)
            counted, seen, since = map(datetime.fromisoformat, times)
            last = _Look(counted, seen, since, timedelta(seconds=ahead))
        look = last.next(clock, passed)
        value = [*(when.isoformat() for when in (look.time, look.clock, look.since)), look.ahead.total_seconds()]
        connection.execute(delete(meta).where(meta.c.name == _NOTE))
        connection.execute(insert(meta), {"name": _NOTE, "value": json.dumps(value)})
        return look.time


@dataclass(frozen=True, slots=True)
class GuestExpiry:
    """Visitors who do not sign in leave nothing: so many hours after the last thing that one did, all of it is erased.

    Their ids, and nobody else's, begin with `prefix`. `erased` is as in `Retention`.
    """

    ledger: Ledger
    erasing: Erasing
    prefix: str
    hours: float
    erased: Callable[[], None]

    def look(self, now: datetime) -> None:
        """Erase everything of those who have been away for too long by now. Raises StoreError."""
        of_visitors = (
            select(table.c.owner, func.max(table.c.created).label("last"))
            .where(table.c.owner.startswith(self.prefix, autoescape=True))
            .group_by(table.c.owner)
            for table in (entries, turns, events)
        )
        each = union_all(*of_visitors).subquery()
        is_gone = func.max(each.c.last) < (now - timedelta(hours=self.hours)).isoformat()
        with self.ledger.read() as connection:
            gone = connection.execute(select(each.c.owner).group_by(each.c.owner).having(is_gone)).scalars().all()
        for person in gone:
            self.erasing.forget_all(Scope(person))
        if gone:
            _log.info("%d visitors did not come back; what they left is erased.", len(gone))
            self.erased()


class Retention(BackgroundWork):
    """Erases turns older than so many days, at start and then every hour, and what `guests` left.

    `erased` is called afterwards, so that the bytes go from the files; it returns at once and never raises. `steady` is
    as in `PassingTime`.
    """

    def __init__(
        self,
        ledger: Ledger,
        days: int,
        erased: Callable[[], None],
        guests: GuestExpiry | None = None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("retention", self._try_to_look)
        self._ledger = ledger
        self._keep = timedelta(days=days)
        self._erased = erased
        self._guests = guests
        self._passing = PassingTime(steady)

    def look(self, clock: datetime) -> int:
        """Erase what is too old where the clock says this (UTC); return how many turns. Raises StoreError."""
        with self._ledger.write() as connection:
            now = self._passing.look(connection, clock)
        until = max(now, BEFORE_ALL + self._keep) - self._keep
        erased = 0
        while not self.closing.is_set() and (some := self._erase(until)):
            erased += some
        if erased:
            _log.info("%d turns were older than %d days and are erased.", erased, self._keep.days)
            self._erased()
        if self._guests:
            self._guests.look(now)
        return erased

    def _erase(self, until: datetime) -> int:
        with self._ledger.write() as connection:
            old = select(turns.c.id).where(turns.c.created < until.isoformat()).order_by(turns.c.sequence).limit(_BATCH)
            going = connection.execute(old).scalars().all()
            keep_uses_of(connection, going)
            counts = delete_turns(connection, going)
            if counts:
                row = {"id": str(uuid.uuid4()), "created": datetime.now(UTC).isoformat(), "erased": dict(counts)}
                connection.execute(insert(erasures), row | {"in_ledger": True, "in_index": False})
                self._ledger.append(connection, EventKind.TURN_ERASED, "", "")  # whoever holds one in memory lets go
        return counts["turns"]

    def _try_to_look(self) -> float:
        try:
            self.look(datetime.now(UTC))
        except StoreError as error:
            _log.warning("Old turns could not be erased; it is tried again. %s", error)
        return _LOOK_EVERY
