"""How far the ledger's log has come. Every question asks twice, and what asks must be quick."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import NamedTuple, cast

from sqlalchemy import Engine, select
from sqlalchemy.exc import NoResultFound

from memory_store.schema import counters

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


def any_reached(engine: Engine) -> Reached:
    """The numbers, from any database.

    Raises:
        SQLAlchemyError: it cannot be read.
    """
    with engine.connect() as connection:
        return Reached._make(map(int, connection.execute(_COUNTERS).one()))


def sqlite_reached(engine: Engine) -> Reached:
    """The numbers, from SQLite by its driver alone.

    A model that has just run has emptied the processor's caches, and what SQLAlchemy does around a statement then takes
    three times as long as the statement.

    Raises:
        sqlite3.Error: it cannot be read.
        NoResultFound: there are none.
    """
    with closing(engine.raw_connection()) as pooled:
        connection = cast("sqlite3.Connection", pooled.driver_connection)
        with closing(connection.execute(_SQL)) as cursor:
            for row in cursor:
                return Reached._make(map(int, row))
    raise NoResultFound
