"""How far the ledger's log has come. Every question asks twice, and what asks must be quick."""

from __future__ import annotations

import sqlite3
import threading
from typing import NamedTuple, Protocol, cast

from sqlalchemy import Engine, select
from sqlalchemy.exc import NoResultFound

from memory_store.schema import counters
from memory_store.sqlite_file import AsItStands

_COUNTERS = select(counters.c.sequence, counters.c.change)
_SQL = str(_COUNTERS)


class Reached(NamedTuple):
    """Two sequence numbers.

    Args:
        sequence: of the last thing that was written down; 0 before the first.
        change: of the last event that the index follows; 0 before the first.
    """

    sequence: int
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
            return Reached._make(map(int, connection.execute(_COUNTERS).one()))

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
        return Reached._make(map(int, rows[0]))

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
