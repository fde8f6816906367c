"""Connections to SQLite and PostgreSQL, the messages for their errors, and a lock shared by replicas.

SQLite cannot even read a file with a write-ahead log without writing beside it. If the disk allows no writing and the
log is empty, the file is opened as immutable. Such a connection is used once, so that writing works again as soon as
the disk does.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from sqlalchemy import URL, Connection, Dialect, Engine, NullPool, create_engine, event, make_url, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from assistant.errors import DamagedLedger, StoreError
from memory_store.ledger.database.schema import write_json

if TYPE_CHECKING:
    from psycopg import Connection as PsycopgConnection

_log = logging.getLogger(__name__)

_WAITING_SECONDS = 15  # for another writer
MOST_CONNECTIONS = 20  # to PostgreSQL, of one process; the indexer has one more while it writes
_PRAGMAS = (
    f"busy_timeout = {_WAITING_SECONDS * 1000}",
    "journal_mode = WAL",
    "synchronous = FULL",  # a commit survives a power cut
    "fullfsync = ON",  # where the system's own sync stops at the drive's cache (macOS)
    "secure_delete = ON",  # overwrite deleted data with zeros
    "foreign_keys = ON",
)
_NO_ROOM = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_CONNECT = {  # detect within seconds, not hours, that the server is gone
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
_CODES: dict[int | str | None, str] = {
    sqlite3.SQLITE_FULL: "store.disk_full",
    sqlite3.SQLITE_READONLY: "store.read_only",
    sqlite3.SQLITE_BUSY: "store.busy",
    sqlite3.SQLITE_LOCKED: "store.busy",
    sqlite3.SQLITE_CORRUPT: DamagedLedger.code,
    sqlite3.SQLITE_NOTADB: DamagedLedger.code,
    sqlite3.SQLITE_CANTOPEN: "store.file_not_opened",
    "40001": "store.busy",  # serialization failure
    "40P01": "store.busy",  # deadlock
    "55P03": "store.busy",  # lock timeout
    "57014": "store.busy",  # a statement took too long
    "53100": "store.database_disk_full",
    "25006": "store.read_only",  # a standby
    "42501": "The user in NOTED_LEDGER may not create or change tables in that database. Grant these privileges.",
    "XX001": "store.database_damaged",
    "XX002": "store.database_damaged",
}
_NO_LEDGER = "NOTED_LEDGER must be sqlite:///path/to/file or postgresql+psycopg://user@host/database."


@dataclass
class OpenedFile:
    """File of an open ledger. SQLite would keep writing to a file that was removed."""

    path: Path
    opened: os.stat_result | None = None

    def require(self) -> None:
        """Raise StoreError if the file was removed or replaced since it was opened; or OSError."""
        if self.opened and not (self.path.exists() and os.path.samestat(self.path.stat(), self.opened)):
            raise StoreError("store.file_gone")


def file_of(ledger_url: str) -> Path | None:
    """Return the file of a ledger; None if it is not SQLite."""
    address = make_url(ledger_url)
    return Path(address.database) if address.get_backend_name() == "sqlite" and address.database else None


def create_ledger_engine(url: str) -> tuple[Engine, OpenedFile | None]:
    """Return an engine, and its file if it is SQLite. Raises StoreError."""
    try:
        if path := file_of(url):
            file = OpenedFile(path)
            return sqlite_engine(make_url(url), file), file
        if make_url(url).get_backend_name() == "postgresql":
            return postgres_engine(make_url(url)), None
    except ImportError as error:
        raise StoreError(f"NOTED_LEDGER needs the driver {error.name}, which is not installed.") from error
    except OSError as error:
        raise StoreError("The folder in NOTED_LEDGER cannot be created. Choose another one.") from error
    except (SQLAlchemyError, ValueError, TypeError) as error:
        raise StoreError(_NO_LEDGER) from error
    raise StoreError(_NO_LEDGER)


def sqlite_engine(address: URL, file: OpenedFile) -> Engine:
    """Return an engine for a file and create its folder. Raises OSError if that fails.

    After the file is removed, nothing is written, and no new file is created in its place.
    """
    file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    pool = {"pool_size": 8, "max_overflow": 56, "query_cache_size": 2_000}
    engine = create_engine(address, json_serializer=write_json, json_deserializer=_read_json, **pool)

    @event.listens_for(engine, "do_connect")
    def open_file(dialect: Dialect, record: ConnectionPoolEntry, arguments: Any, named: Any) -> sqlite3.Connection:
        file.require()
        connection = cast("sqlite3.Connection", dialect.connect(*arguments, **named))
        try:
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.OperationalError as error:
            connection.close()
            log = Path(f"{file.path}-wal")
            is_whole = file.path.is_file() and (not log.exists() or log.stat().st_size == 0)
            if error.sqlite_errorcode & 0xFF not in _NO_ROOM or not is_whole:
                raise
            immutable = f"file:{quote(str(file.path))}?immutable=1"
            connection = sqlite3.connect(immutable, uri=True, check_same_thread=False)  # the pool changes threads
            record.info["is_immutable"] = True
        connection.isolation_level = None  # the driver must not begin transactions by itself
        # Invalid UTF-8 is damage: it must fail its own checksum, not the whole query.
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        file.opened = file.opened or file.path.stat()
        return connection

    @event.listens_for(engine, "checkin")
    def let_go(_connection: sqlite3.Connection | None, record: ConnectionPoolEntry) -> None:
        if record.info.get("is_immutable"):
            record.invalidate()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("noted_writes", False):
            file.require()
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.connection.cursor().execute("BEGIN")  # by SQLAlchemy, it takes a third of a small query's time

    return engine


def postgres_engine(address: URL, **pool: Any) -> Engine:
    """Return an engine that reconnects after the server was down. Does not connect yet."""
    if not pool:
        pool = {"pool_size": 5, "max_overflow": MOST_CONNECTIONS - 5, "pool_timeout": _WAITING_SECONDS}
    # Parameters of the URL take precedence.
    arguments = {name: value for name, value in _CONNECT.items() if name not in address.query}
    engine = create_engine(address, connect_args=arguments, json_serializer=write_json, pool_pre_ping=True, **pool)

    @event.listens_for(engine, "connect")
    def prepare(connection: PsycopgConnection, _record: object) -> None:
        connection.autocommit = True
        for statement in _SESSION:
            connection.execute(statement)
        connection.autocommit = False

    return engine


@contextmanager
def lock_database(engine: Engine, name: str, seconds: float) -> Iterator[None]:
    """Hold a lock across all processes that use one database. It is released when its connection closes."""
    # A new connection each time, so that no other statement can end it.
    own = postgres_engine(engine.url, poolclass=NullPool).execution_options(isolation_level="AUTOCOMMIT")
    with own.connect() as connection:
        connection.execute(text(f"SET lock_timeout = '{int(seconds * 1000)}ms'"))
        connection.execute(text("SELECT pg_advisory_lock(hashtextextended(:name, 0))"), {"name": name})
        yield


def message_code(error: Exception) -> str | None:
    """Return the message code, or the text, for an error of a driver; None for the default message."""
    cause = getattr(error, "orig", error)
    number, state = getattr(cause, "sqlite_errorcode", None), getattr(cause, "sqlstate", None)
    # Extended codes of SQLite hold the primary one in their low byte.
    if code := _CODES.get(state if number is None else int(number) & 0xFF):
        return code
    # Failed and broken connections mostly have no code; the server itself reports 08 and 57P.
    is_gone = isinstance(error, OperationalError) and hasattr(cause, "sqlstate")
    if not is_gone or not (state or "08").startswith(("08", "57P")):
        return None
    _log.warning("The database cannot be reached: %s", " ".join(str(cause).split()))
    return "store.database_unreachable"


def _read_json(text: str) -> Any:
    """Parse JSON; return None if it is damaged, so that only its own row fails."""
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        return None
