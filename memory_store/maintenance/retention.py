"""Delete old conversations, and everything of guests after some hours without activity. Other entries stay."""

import json
import logging
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, select, tuple_, union_all

from assistant.background import BackgroundWork
from assistant.errors import StoreError
from assistant.types import Scope
from memory_store.ledger.database.schema import EventKind, entries, events, meta, turns
from memory_store.ledger.erased_rows import delete_turns, record_erasure
from memory_store.ledger.ledger import Ledger
from memory_store.maintenance.erasure import Eraser

_log = logging.getLogger(__name__)

_CHECK_EVERY = 3600.0  # seconds
_BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_NOTE = "passing time"
_BATCH = 50  # conversations per transaction, which keeps the writer's lock short


def expire_guests(ledger: Ledger, erasing: Eraser, prefix: str, hours: float, now: datetime) -> int:
    """Erase everything of guests who did nothing for `hours`; return how many. Raises StoreError.

    The ids of guests, and of no other users, begin with `prefix`.
    """
    of_guests = (
        select(table.c.owner, table.c.created).where(table.c.owner.startswith(prefix, autoescape=True))
        for table in (entries, turns, events)
    )
    each = union_all(*of_guests).subquery()
    is_gone = func.max(each.c.created) < (now - timedelta(hours=hours)).isoformat()
    with ledger.read() as connection:
        gone = connection.execute(select(each.c.owner).group_by(each.c.owner).having(is_gone)).scalars().all()
    for person in gone:
        erasing.forget_all(Scope(person))
    return len(gone)


class Retention(BackgroundWork):
    """Deletes, every hour, the conversations whose last turn is older than `days`, and calls `expire_guests`.

    A clock that jumps ahead must not delete everything. Time advances by the smaller of the clock and `steady`, a
    monotonic timer in seconds. A clock that is ahead is believed after a day in which every check found it ahead; one
    that is behind is believed at once, since it deletes less.

    `erased` is called after a deletion, so that the indexer rewrites the files; it must not block or raise.
    """

    def __init__(
        self,
        ledger: Ledger,
        days: int,
        erased: Callable[[], None],
        expire_guests: Callable[[datetime], int] = lambda _: 0,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("retention", self._try_to_expire)
        self._ledger = ledger
        self._keep = timedelta(days=days)
        self._erased = erased
        self._expire_guests = expire_guests
        self._steady = steady
        self._looked: float | None = None

    def expire(self, clock: datetime) -> int:
        """Delete what is too old at this time (UTC); return the number of turns. Raises StoreError."""
        with self._ledger.write() as connection:
            now = self._believed_time(connection, clock)
        until = max(now, _BEFORE_ALL + self._keep) - self._keep
        erased = 0
        while not self.closing.is_set() and (some := self._erase(until)):
            erased += some
        if erased:
            _log.info("%d turns of conversations that ended more than %d days ago are erased.", erased, self._keep.days)
        guests = self._expire_guests(now)
        if guests:
            _log.info("%d visitors did not come back; what they left is erased.", guests)
        if erased or guests:
            self._erased()
        return erased

    def _believed_time(self, connection: Connection, clock: datetime) -> datetime:
        """Return the believed time, never later than the clock, and store the state for the next check in `meta`.

        The state: the believed time, the clock, since when it is ahead, and the least it was ahead since, in seconds.
        """
        steady = self._steady()
        passed = timedelta(seconds=0 if self._looked is None else steady - self._looked)
        self._looked = steady
        now, seen, since, ahead = _BEFORE_ALL, clock, clock, timedelta()
        if stored := connection.execute(select(meta.c.value).where(meta.c.name == _NOTE)).scalar():
            *times, seconds = json.loads(stored)
            now, seen, since = map(datetime.fromisoformat, times)
            ahead = timedelta(seconds=seconds)
        now += min(passed, max(clock - seen, timedelta()))
        if clock <= now:
            now, since, ahead = clock, clock, timedelta()
        else:
            ahead, since = min(ahead, clock - now), min(since, clock)
            if not ahead or clock - since >= _DAY:
                now, since = now + ahead, clock
                ahead = clock - now
        value = json.dumps([now.isoformat(), clock.isoformat(), since.isoformat(), ahead.total_seconds()])
        connection.execute(delete(meta).where(meta.c.name == _NOTE))
        connection.execute(insert(meta), {"name": _NOTE, "value": value})
        return now

    def _erase(self, until: datetime) -> int:
        with self._ledger.write() as connection:
            named = (turns.c.owner, turns.c.conversation)
            is_old = func.max(turns.c.created) < until.isoformat()
            old = select(*named).group_by(*named).having(is_old).order_by(func.min(turns.c.sequence)).limit(_BATCH)
            conversations = [tuple(row) for row in connection.execute(old)]
            going = select(turns.c.id).where(tuple_(*named).in_(conversations))
            counts = delete_turns(connection, connection.execute(going).scalars().all())
            if counts:
                record_erasure(connection, {"id": str(uuid.uuid4()), "at": self._ledger.now()}, counts)
                self._ledger.append(connection, EventKind.TURN_ERASED, "", "")  # clear caches
        return counts["turns"]

    def _try_to_expire(self) -> float:
        try:
            self.expire(datetime.now(UTC))
        except StoreError as error:
            _log.warning("Old conversations could not be erased; it is tried again. %s", error)
        return _CHECK_EVERY
