"""One number from the database, asked for by every question before anything else, and so asked quickly."""

from __future__ import annotations

import sqlite3
import threading
from typing import Any, Protocol, cast

from sqlalchemy import Engine, Select
from sqlalchemy.exc import MultipleResultsFound, NoResultFound

from memory_store.sqlite_file import AsItStands


class QuickQuery(Protocol):
    """Answers a query that takes no parameters with the one number that it finds."""

    def __call__(self, query: Select[Any]) -> int:
        """The number.

        Raises:
            SQLAlchemyError, sqlite3.Error: it cannot be read, or it is not one.
        """

    def close(self) -> None:
        """Let go of the database, until it is asked again."""


class ByEngine:
    """From any database, as everything else is read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(self, query: Select[Any]) -> int:
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def close(self) -> None:
        pass


class ByDriver:
    """From SQLite, by its driver alone and a connection of its own.

    A model that has just run has emptied the processor's caches, and what SQLAlchemy and its pool do around a statement
    then takes several times as long as the statement.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: sqlite3.Connection | None = None
        self._written: dict[Select[Any], str] = {}
        self._lock = threading.Lock()

    def __call__(self, query: Select[Any]) -> int:
        with self._lock:
            if (written := self._written.get(query)) is None:
                written = self._written[query] = str(query.compile(self._engine))
            try:
                connection = self._connection = self._connection or self._opened()
                rows = connection.execute(written).fetchall()
            except BaseException:
                self._let_go()
                raise
            if isinstance(connection, AsItStands):
                self._let_go()
        if len(rows) != 1:
            raise MultipleResultsFound if rows else NoResultFound
        return int(rows[0][0])

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
