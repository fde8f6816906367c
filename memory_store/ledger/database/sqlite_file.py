"""Open the ledger's SQLite file: to read and write, or, where nothing can be written beside it, to read.

SQLite cannot even read a file with a write-ahead log without writing beside it. On a disk that is full or can only be
read, the file is therefore read as it stands, if no log says more than it. Such a connection is used once, so that
writing works again as soon as the disk does.
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

from assistant.errors import StoreError
from memory_store.ledger.database.schema import written_json

_PRAGMAS = (
    "busy_timeout = 15000",  # milliseconds to wait for another writer
    "journal_mode = WAL",
    "synchronous = FULL",  # a commit survives a power cut
    "fullfsync = ON",  # where the system's own sync stops at the drive's cache (macOS)
    "secure_delete = ON",  # what is erased is overwritten with zeros
    "foreign_keys = ON",
)
_NO_ROOM = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_CACHED_STATEMENTS = 2_000


class OpenedFile:
    """The file of an open ledger. Where it is removed, SQLite goes on writing what nobody finds again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: os.stat_result | None = None

    def note(self) -> None:
        """Note that a connection opened the file."""
        self._opened = self._opened or self.path.stat()

    def require(self) -> None:
        """Raise StoreError if another file, or none, is at the path since it was opened; or OSError."""
        if self._opened is None:
            return
        if not self.path.exists() or not os.path.samestat(self.path.stat(), self._opened):
            raise StoreError("store.file_gone")


class AsItStands(sqlite3.Connection):
    """Reads the file and nothing beside it. Writing raises `attempt to write a readonly database`."""


def file_of(ledger_url: str) -> Path | None:
    """Return the file of a ledger; None where it is not SQLite's."""
    address = make_url(ledger_url)
    return Path(address.database) if address.get_backend_name() == "sqlite" and address.database else None


def connect(path: Path, opened: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """Return a connection to a file; `opened` opens it to be read and written. Raises sqlite3.Error."""
    connection = opened()
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.OperationalError as error:
        connection.close()
        log = Path(f"{path}-wal")
        is_whole = path.is_file() and (not log.exists() or log.stat().st_size == 0)
        if primary_code(error) not in _NO_ROOM or not is_whole:
            raise
        address = f"file:{quote(str(path))}?immutable=1"
        # Like the pool's other connections, it may be handed from thread to thread.
        connection = sqlite3.connect(address, uri=True, check_same_thread=False, factory=AsItStands)
    connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
    # Text that is no longer UTF-8 is damaged: it must fail its checksum, not the whole reading.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def sqlite_engine(address: URL, file: OpenedFile) -> Engine:
    """Return an engine for a file; its folder is made. Raises OSError where that cannot be.

    Once the file is not there any more, nothing is written, and nothing else is opened in its place.
    """
    file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(
        address,
        pool_size=8,
        max_overflow=56,
        json_serializer=written_json,
        json_deserializer=_json,
        query_cache_size=_CACHED_STATEMENTS,
    )

    @event.listens_for(engine, "do_connect")
    def open_file(dialect: Dialect, _record: object, arguments: Any, named: Any) -> sqlite3.Connection:
        file.require()
        connection = connect(file.path, lambda: cast("sqlite3.Connection", dialect.connect(*arguments, **named)))
        file.note()
        return connection

    @event.listens_for(engine, "checkin")
    def let_go(connection: sqlite3.Connection | None, record: ConnectionPoolEntry) -> None:
        if isinstance(connection, AsItStands):
            record.invalidate()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("noted_writes", False)
        if writes:
            file.require()
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def primary_code(error: object) -> int:
    """Return SQLite's code of an error without its extension; -1 where it is none of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None)
    return -1 if code is None else int(code) & 0xFF  # extended codes hold the primary one in their low byte


def _json(text: str) -> Any:
    """Parse a value; None where the text is damaged: it must fail its own row, not the whole reading."""
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        return None
