"""Ways to the ledger's SQLite file: to read and write, or, where nothing can be written beside it, to read.

SQLite cannot even read a file with a write-ahead log without writing beside it. On a disk that is full or can only be
read, the file is therefore read as it stands, if no log says more than it. Such a connection is used once, so that
writing works again as soon as the disk does.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from sqlalchemy import URL, Connection, Dialect, Engine, Select, create_engine, event, make_url
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import MultipleResultsFound, NoResultFound
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.util import LRUCache

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
_COMPILED: LRUCache[Any, Any] = LRUCache(2_000)  # statements, for all ledgers of the process


class _Sqlite(SQLiteDialect_pysqlite):
    """SQLite as SQLAlchemy speaks it. One of these is as another, so that what is compiled for one serves all."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register("sqlite.noted", __name__, _Sqlite.__name__)


class OpenedFile:
    """The file of a ledger that is open. Where it is removed, SQLite goes on writing what nobody finds again."""

    def __init__(self) -> None:
        self._opened: tuple[Path, os.stat_result] | None = None

    def note(self, path: Path) -> None:
        """It was opened at this path, by the first connection or a further one."""
        if self._opened is None:
            self._opened = path, path.stat()

    def require(self) -> None:
        """Raise StoreError where another file, or none, is at its path by now, and OSError; never before it is open."""
        if self._opened is None:
            return
        path, opened = self._opened
        try:
            is_there = os.path.samestat(path.stat(), opened)
        except FileNotFoundError:
            is_there = False
        if not is_there:
            raise StoreError("store.file_gone")


class AsItStands(sqlite3.Connection):
    """Reads the file and nothing beside it. Writing raises `attempt to write a readonly database`."""


def file_of(ledger_url: str) -> Path | None:
    """The file of a ledger; None where it is not SQLite's."""
    address = make_url(ledger_url)
    return Path(address.database) if address.get_backend_name() == "sqlite" and address.database else None


def connect(path: Path, opened: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """A connection, ready for use; `opened` opens it to be read and written. Raises sqlite3.Error."""
    connection = opened()
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        return _decoding(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        if primary_code(error) not in _NO_ROOM or not _is_whole(path):
            raise
        address = f"file:{quote(str(path))}?immutable=1"
        # Like the pool's other connections, it may be handed from thread to thread.
        return _decoding(sqlite3.connect(address, uri=True, check_same_thread=False, factory=AsItStands))


def sqlite_engine(address: URL, path: Path, opened: OpenedFile) -> Engine:
    """SQLAlchemy's way to a file; its folder is made. Raises OSError where that cannot be.

    Where what was `opened` is not there any more, nothing is written, and nothing else is opened in its place.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(
        address.set(drivername="sqlite+noted") if address.get_driver_name() == "pysqlite" else address,
        pool_size=8,
        max_overflow=56,
        json_serializer=written_json,
        json_deserializer=_json,
        execution_options={"compiled_cache": _COMPILED},
    )

    @event.listens_for(engine, "do_connect")
    def open_file(dialect: Dialect, _record: object, arguments: Any, named: Any) -> sqlite3.Connection:
        opened.require()
        connection = connect(path, lambda: cast("sqlite3.Connection", dialect.connect(*arguments, **named)))
        opened.note(path)
        return connection

    @event.listens_for(engine, "checkin")
    def let_go(connection: sqlite3.Connection | None, record: ConnectionPoolEntry) -> None:
        if isinstance(connection, AsItStands):
            record.invalidate()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("noted_writes", False)
        if writes:
            opened.require()
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


class NumberReader:
    """Answers queries without parameters with the one number that they find, by the driver alone.

    Every question asks before anything else. A model that has just run has emptied the processor's caches, and what
    SQLAlchemy and its pool do around a statement then takes several times as long as the statement.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: sqlite3.Connection | None = None
        self._compiled: dict[Select[Any], str] = {}
        self._lock = threading.Lock()

    def __call__(self, query: Select[Any]) -> int:
        """The number. Raises SQLAlchemyError or sqlite3.Error where it cannot be read, or is not one."""
        with self._lock:
            if query not in self._compiled:
                self._compiled[query] = str(query.compile(self._engine))
            try:
                connection = self._connection = self._connection or self._opened()
                rows = connection.execute(self._compiled[query]).fetchall()
            except BaseException:
                self._let_go()
                raise
            if isinstance(connection, AsItStands):
                self._let_go()
        if len(rows) != 1:
            raise MultipleResultsFound if rows else NoResultFound
        return int(rows[0][0])

    def close(self) -> None:
        """Let go of the database, until it is asked again."""
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


def primary_code(error: object) -> int:
    """SQLite's code of an error without its extension; -1 where it is none of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None)
    return -1 if code is None else int(code) & 0xFF  # extended codes hold the primary one in their low byte


def _decoding(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
    # Text that is no longer UTF-8 is damaged: it must fail its checksum, not the whole reading.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def _is_whole(path: Path) -> bool:
    """Whether the file is there and no write-ahead log holds what is not in it yet."""
    log = Path(f"{path}-wal")
    return path.is_file() and (not log.exists() or log.stat().st_size == 0)


def _json(text: str) -> Any:
    """The value, or None where the text is damaged: it must fail its own row, not the whole reading."""
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        return None
