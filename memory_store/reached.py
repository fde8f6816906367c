"""How far the ledger's log has come. Every question asks twice, and what asks must be quick."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from typing import NamedTuple, Protocol, cast

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import NoResultFound

from memory_store.schema import counters, events
from memory_store.sqlite_file import AsItStands

_QUERY = select(
    # A damaged number, beyond all that were handed out, must not hide what happens from now on.
    select(func.max(events.c.sequence)).where(events.c.sequence <= counters.c.sequence).scalar_subquery(),
    counters.c.change,
)
_SQL = str(_QUERY)


class Reached(NamedTuple):
    """Sequence numbers of the last events, 0 before the first.

    Args:
        event: of any kind; where it stays, so does all that there is to know about every entry.
        change: one that the index follows.
    """

    event: int
    change: int


class Look(Protocol):
    """Says how far the log has come by now."""

    def __call__(self) -> Reached:
        """The numbers.

        Raises:
            SQLAlchemyError, sqlite3.Error: they cannot be read.
        """

    def close(self) -> None:
        """Let go of the database, until it is asked again."""


class PlainLook:
    """From any database, as everything else is read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(self) -> Reached:
        with self._engine.connect() as connection:
            return _reached(connection.execute(_QUERY).one())

    def close(self) -> None:
        pass


class SqliteLook:
    """From SQLite, by its driver alone and a connection of its own.

    A model that has just run has emptied the processor's caches, and what SQLAlchemy and its pool do around a statement
    then takes several times as long as the statement.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Reached:
        with self._lock:
            try:
                connection = self._connection = self._connection or self._opened()
                rows = connection.execute(_SQL).fetchall()
            except BaseException:
                self._let_go()
                raise
            if isinstance(connection, AsItStands):
                self._let_go()
        if not rows:
            raise NoResultFound
        return _reached(rows[0])

    def close(self) -> None:
        with self._lock:
            self._let_go()

    def _opened(self) -> sqlite3.Connection:
        pooled = self._engine.raw_connection()
        connection = cast("sqlite3.Connection", pooled.driver_connection)
        pooled.detach()
        return connection

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _reached(row: Sequence[int | None]) -> Reached:
    event, change = row
    return Reached(int(event or 0), int(change or 0))
