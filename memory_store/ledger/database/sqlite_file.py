"""Open the ledger's SQLite file for reading and writing, or, on a full or read-only disk, for reading only.

SQLite cannot even read a file with a write-ahead log without writing beside it. If the disk allows no writing and the
log is empty, the file is opened as immutable. Such a connection is used once, so that writing works again as soon as
the disk does.
"""

import json
import os
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event, make_url
from sqlalchemy.pool import ConnectionPoolEntry

from assistant.errors import DamagedLedger, StoreError
from memory_store.ledger.database.schema import write_json

_PRAGMAS = (
    "busy_timeout = 15000",  # milliseconds to wait for another writer
    "journal_mode = WAL",
    "synchronous = FULL",  # a commit survives a power cut
    "fullfsync = ON",  # where the system's own sync stops at the drive's cache (macOS)
    "secure_delete = ON",  # overwrite deleted data with zeros
    "foreign_keys = ON",
)
_NO_ROOM = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_CODES: dict[int | None, str] = {
    sqlite3.SQLITE_FULL: "store.disk_full",
    sqlite3.SQLITE_READONLY: "store.read_only",
    sqlite3.SQLITE_BUSY: "store.busy",
    sqlite3.SQLITE_LOCKED: "store.busy",
    sqlite3.SQLITE_CORRUPT: DamagedLedger.code,
    sqlite3.SQLITE_NOTADB: DamagedLedger.code,
    sqlite3.SQLITE_CANTOPEN: "store.file_not_opened",
}


class OpenedFile:
    """File of an open ledger. SQLite would keep writing to a file that was removed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: os.stat_result | None = None

    def note(self) -> None:
        """Record the identity of the file that a connection opened."""
        self._opened = self._opened or self.path.stat()

    def require(self) -> None:
        """Raise StoreError if the file was removed or replaced since it was opened; or OSError."""
        if self._opened and not (self.path.exists() and os.path.samestat(self.path.stat(), self._opened)):
            raise StoreError("store.file_gone")


class ImmutableConnection(sqlite3.Connection):
    """Connection to an immutable file. Writing raises `attempt to write a readonly database`."""


def file_of(ledger_url: str) -> Path | None:
    """Return the file of a ledger; None if it is not SQLite."""
    address = make_url(ledger_url)
    return Path(address.database) if address.get_backend_name() == "sqlite" and address.database else None


def connect(path: Path, opened: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """Return a connection to a file; `opened` opens it for writing. Raises sqlite3.Error."""
    connection = opened()
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.OperationalError as error:
        connection.close()
        log = Path(f"{path}-wal")
        is_whole = path.is_file() and (not log.exists() or log.stat().st_size == 0)
        if _primary_code(error) not in _NO_ROOM or not is_whole:
            raise
        address = f"file:{quote(str(path))}?immutable=1"
        # The pool passes connections between threads.
        connection = sqlite3.connect(address, uri=True, check_same_thread=False, factory=ImmutableConnection)
    connection.isolation_level = None  # the driver must not begin transactions by itself
    # Invalid UTF-8 is damage: it must fail its own checksum, not the whole query.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def sqlite_engine(address: URL, file: OpenedFile) -> Engine:
    """Return an engine for a file and create its folder. Raises OSError if that fails.

    After the file is removed, nothing is written, and no new file is created in its place.
    """
    file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    pool = {"pool_size": 8, "max_overflow": 56, "query_cache_size": 2_000}
    engine = create_engine(address, json_serializer=write_json, json_deserializer=_json, **pool)

    @event.listens_for(engine, "do_connect")
    def open_file(dialect: Dialect, _record: object, arguments: Any, named: Any) -> sqlite3.Connection:
        file.require()
        connection = connect(file.path, lambda: cast("sqlite3.Connection", dialect.connect(*arguments, **named)))
        file.note()
        return connection

    @event.listens_for(engine, "checkin")
    def let_go(connection: sqlite3.Connection | None, record: ConnectionPoolEntry) -> None:
        if isinstance(connection, ImmutableConnection):
            record.invalidate()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("noted_writes", False):
            file.require()
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.connection.cursor().execute("BEGIN")  # a third of a small query's time by SQLAlchemy

    return engine


def sqlite_code(error: Exception) -> str | None:
    """Return the message code for a driver error; None for the default message and other errors."""
    return _CODES.get(_primary_code(getattr(error, "orig", error)))


def _primary_code(error: object) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF  # extended codes hold the primary one in their low byte


def _json(text: str) -> Any:
    """Parse JSON; return None if it is damaged, so that only its own row fails."""
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        return None
