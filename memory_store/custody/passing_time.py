"""What time it is, as far as anything may be erased because of it. A clock may jump; what is erased is gone.

Time passes as far as the clock and the machine's own count of seconds, which nobody can set, both say so from one look
to the next of a running process. What the clock is ahead of that, because it was set or because nothing ran, counts a
day after a look has found it, by the clock, if it was so far ahead at every look since. A clock that is behind counts
at once: it erases less.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, insert, select

from memory_store.ledger.database.schema import meta

BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_NOTE = "passing time"


@dataclass(frozen=True, slots=True)
class _Look:
    """A look, of whichever process, and what it found."""

    time: datetime  # which counts
    clock: datetime  # what the clock said
    ahead: timedelta  # how far it has been ahead, at least, at every look
    since: datetime  # this, as the clock says

    def next(self, clock: datetime, passed: timedelta) -> _Look:
        """A look so much later."""
        time = self.time + min(passed, max(clock - self.clock, timedelta()))
        if clock <= time:
            return _Look(clock, clock, timedelta(), clock)
        ahead, since = min(self.ahead, clock - time), min(self.since, clock)
        if ahead and clock - since < _DAY:
            return _Look(time, clock, ahead, since)
        time += ahead
        return _Look(time, clock, clock - time, clock)


class PassingTime:
    """The time that counts, for one process. `steady` counts seconds from anywhere, and never jumps."""

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._looked: float | None = None

    def look(self, connection: Connection, clock: datetime) -> datetime:
        """The time that counts, never later than what the clock says. Noted by a `connection` of `Ledger.write`."""
        now = self._steady()
        passed = timedelta(seconds=0 if self._looked is None else now - self._looked)
        self._looked = now
        noted = connection.execute(select(meta.c.value).where(meta.c.name == _NOTE)).scalar()
        last = _read(noted) if noted else _Look(BEFORE_ALL, clock, timedelta(), clock)
        look = last.next(clock, passed)
        connection.execute(delete(meta).where(meta.c.name == _NOTE))
        connection.execute(insert(meta), {"name": _NOTE, "value": _written(look)})
        return look.time


def _written(look: _Look) -> str:
    times = (when.isoformat() for when in (look.time, look.clock, look.since))
    return json.dumps([*times, look.ahead.total_seconds()])


def _read(noted: str) -> _Look:
    *times, ahead = json.loads(noted)
    when, clock, since = map(datetime.fromisoformat, times)
    return _Look(when, clock, timedelta(seconds=ahead), since)
