"""Delete old conversations, and everything of guests after some hours without activity. Other entries stay."""

import json
import logging
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
_STEP = timedelta(hours=6)  # that a clock may advance between checks
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

    A clock that jumps ahead must not delete everything, so a clock that is far ahead of the last check is believed only
    after a day of such checks. One that is behind is believed at once, since it deletes less.

    `erased` is called after a deletion, so that the indexer rewrites the files; it must not block or raise.
    """

    def __init__(
        self,
        ledger: Ledger,
        days: int,
        erased: Callable[[], None],
        expire_guests: Callable[[datetime], int] = lambda _: 0,
    ) -> None:
        super().__init__("retention", self._try_to_expire)
        self._ledger = ledger
        self._keep = timedelta(days=days)
        self._erased = erased
        self._expire_guests = expire_guests

    def expire(self, clock: datetime) -> int:
        """Delete what is too old at this time (UTC); return the number of turns. Raises StoreError."""
        with self._ledger.write() as connection:
            now = _read_believed_time(connection, clock)
        until = max(now, _BEFORE_ALL + self._keep) - self._keep
        erased = 0
        while not self.closing.is_set() and (some := self._erase(until)):
            erased += some
        guests = self._expire_guests(now)
        if erased or guests:
            _log.info("Old conversations and guests are erased: %d turns and %d guests.", erased, guests)
            self._erased()
        return erased

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


def _read_believed_time(connection: Connection, clock: datetime) -> datetime:
    """Return the believed time, never later than the clock.

    `meta` stores it with the clock at the last check, and the clock since when it is too far ahead.
    """
    stored = connection.execute(select(meta.c.value).where(meta.c.name == _NOTE)).scalar()
    now, seen, since = map(datetime.fromisoformat, json.loads(stored)[:3]) if stored else (_BEFORE_ALL, clock, clock)
    if clock < seen:
        now = since = min(now, clock)
    elif clock - now <= _STEP or (since > now and clock - since >= _DAY):
        now = since = clock
    elif since <= now:
        since = clock
    connection.execute(delete(meta).where(meta.c.name == _NOTE))
    value = json.dumps([moment.isoformat() for moment in (now, clock, since)])
    connection.execute(insert(meta), {"name": _NOTE, "value": value})
    return now
