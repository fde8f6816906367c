"""Connections to PostgreSQL, its error codes, and a lock shared by replicas."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from assistant.errors import StoreError
from memory_store.ledger.database.schema import metadata, write_json

if TYPE_CHECKING:
    from psycopg import Connection as PsycopgConnection

_log = logging.getLogger(__name__)

_WAITING_SECONDS = 15
MOST_CONNECTIONS = 20  # of one process for reading and writing; the indexer has one more while it writes

_CONNECT = {  # give up a server that vanished after some seconds, not after hours
    "connect_timeout": 5,
    "tcp_user_timeout": 15_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
_SESSION = (
    f"SET lock_timeout = '{_WAITING_SECONDS}s'",
    # A frozen replica blocks the others for at most this long.
    "SET idle_in_transaction_session_timeout = '60s'",
    # A commit is on disk before it returns; stricter settings, such as waiting for a standby, stay.
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
)
_CODES = {
    "40001": "store.busy",  # serialization failure
    "40P01": "store.busy",  # deadlock
    "55P03": "store.busy",  # lock timeout
    "57014": "store.busy",  # a statement took too long
    "53100": "store.database_disk_full",
    "25006": "store.read_only",  # a standby
    "42501": "The database of NOTED_LEDGER does not let this user make or change its tables. Please allow it.",
    "XX001": "store.database_damaged",
    "XX002": "store.database_damaged",
}


def postgres_engine(address: URL) -> Engine:
    """Return an engine that reconnects after the server was down. Does not connect yet."""
    pool = {"pool_size": 5, "max_overflow": MOST_CONNECTIONS - 5, "pool_timeout": _WAITING_SECONDS}
    return _create_engine(address, pool_pre_ping=True, **pool)


def check_database(connection: Connection) -> None:
    """Check that the database can hold a ledger. Raises StoreError if its encoding is not UTF-8."""
    if connection.execute(text("SHOW server_encoding")).scalar_one() != "UTF8":
        raise StoreError("The database of NOTED_LEDGER must be made with the encoding UTF8. Please make another.")


def postgres_code(error: Exception) -> str | None:
    """Return the message code, or the text, for a driver error; None for the default message."""
    cause = getattr(error, "orig", error)
    state = getattr(cause, "sqlstate", None)
    if state in _CODES:
        return _CODES[state]
    # Failed and broken connections mostly have no code; the server itself reports 08 and 57P.
    is_gone = isinstance(error, OperationalError) and hasattr(cause, "sqlstate")
    if not is_gone or not (state or "08").startswith(("08", "57P")):
        return None
    _log.warning("The database cannot be reached: %s", " ".join(str(cause).split()))
    return "store.database_unreachable"


def rewrite_tables(engine: Engine) -> bool:
    """Rewrite all table files without deleted rows. Return False if that failed."""
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"VACUUM (FULL) {', '.join(metadata.tables)}"))
    except SQLAlchemyError as error:
        _log.warning("What was erased is not yet gone from the database's files: %s", postgres_code(error))
        return False
    return True


class SharedLock:
    """A lock across all processes that use one database. It is released when its connection closes."""

    def __init__(self, engine: Engine, name: str, seconds: float) -> None:
        # A new connection each time, so that no other statement can end it.
        engine = _create_engine(engine.url, poolclass=NullPool)
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._name = name
        self._timeout = f"{int(seconds * 1000)}ms"

    def __enter__(self) -> None:
        try:
            with ExitStack() as opened:
                connection = opened.enter_context(self._engine.connect())
                connection.execute(text(f"SET lock_timeout = '{self._timeout}'"))
                connection.execute(text("SELECT pg_advisory_lock(hashtextextended(:name, 0))"), {"name": self._name})
                self._held = opened.pop_all()
        except SQLAlchemyError as error:
            raise StoreError(postgres_code(error)) from error

    def __exit__(self, *_: object) -> None:
        self._held.close()


def _create_engine(address: URL, **pool: Any) -> Engine:
    # Parameters of the URL take precedence.
    arguments = {name: value for name, value in _CONNECT.items() if name not in address.query}
    engine = create_engine(address, connect_args=arguments, json_serializer=write_json, **pool)

    @event.listens_for(engine, "connect")
    def prepare(connection: PsycopgConnection, _record: object) -> None:
        connection.autocommit = True
        for statement in _SESSION:
            connection.execute(statement)
        connection.autocommit = False

    return engine
