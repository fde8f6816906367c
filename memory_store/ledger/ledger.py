"""The ledger: the durable record of every entry, turn and event, in SQLite or PostgreSQL. The source of truth.

A write transaction takes the one writer's lock before it reads anything (SQLite: `BEGIN IMMEDIATE`; PostgreSQL: the row
that hands out sequence numbers), so that what it checks still holds when it writes, across threads, processes and
machines, and so that the order of sequence numbers is the order of commits.
"""

import hmac
import logging
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy.exc import SQLAlchemyError

from assistant.errors import DamagedLedger, NotFound, StoreError
from assistant.kinds import KINDS, Kinds
from assistant.types import Clock, utc_now
from memory_store.ledger.database.durable_files import replaced_file
from memory_store.ledger.database.migrations import latest, migrate, schema_version
from memory_store.ledger.database.postgres import (
    SharedLock,
    check_database,
    postgres_code,
    postgres_engine,
    rewrite_tables,
)
from memory_store.ledger.database.schema import CHANGES, EventKind, counters, events, meta
from memory_store.ledger.database.sqlite_file import OpenedFile, file_of, primary_code, sqlite_engine
from memory_store.ledger.tombstones import Line, Tombstones

_log = logging.getLogger(__name__)

_NOTED = "noted erasures"
_BEFORE = ".before-version-"  # in the name of a copy that is made before a migration
_MIGRATION_LOCK = 0x6E6F746564  # any fixed number; only this program uses it
_INSERT_EVENT = sa.insert(events)
_NEXT = counters.c.sequence + sa.bindparam("number")
_TAKE = sa.update(counters).values(sequence=_NEXT).returning(counters.c.sequence)
_TAKE_CHANGES = _TAKE.values(change=_NEXT)
_LAST_CHANGE = sa.select(counters.c.change)
# A damaged number, beyond all that were handed out, must not hide what happens from now on.
HANDED_OUT = events.c.sequence <= sa.select(counters.c.sequence).scalar_subquery()
LAST_EVENT = sa.select(sa.func.coalesce(sa.func.max(events.c.sequence), sa.literal_column("0"))).where(HANDED_OUT)
_CODES = {
    sqlite3.SQLITE_FULL: "store.disk_full",
    sqlite3.SQLITE_READONLY: "store.read_only",
    sqlite3.SQLITE_BUSY: "store.busy",
    sqlite3.SQLITE_LOCKED: "store.busy",
    sqlite3.SQLITE_CORRUPT: DamagedLedger.code,
    sqlite3.SQLITE_NOTADB: DamagedLedger.code,
    sqlite3.SQLITE_CANTOPEN: "store.file_not_opened",
}
_NO_LEDGER = "NOTED_LEDGER must be sqlite:///path/to/file or postgresql+psycopg://user@host/database."


class Change(NamedTuple):
    """The last event of an entry, or of a name, that the index follows."""

    sequence: int
    entry_id: str


class Ledger:
    """A database with the tables of `memory_store.ledger.database.schema`, made and migrated where needed.

    All methods raise StoreError, with one plain sentence, where the database or its files are the trouble. The `url` is
    `sqlite:///path/to/file` or `postgresql+psycopg://…`; `tombstones` are where erasures are written down,
    and `kinds` what an entry may be.
    """

    def __init__(
        self, url: str, clock: Clock = utc_now, tombstones: Tombstones | None = None, kinds: Kinds = KINDS
    ) -> None:
        self._clock = clock
        self.kinds = kinds
        self.tombstones = tombstones or Tombstones(None)
        engine, self._file = _engine(url)
        self._engine = engine.execution_options(kinds=kinds)
        self._writer = self._engine.execution_options(noted_writes=True)
        # One snapshot for all statements of a reading: an entry and its keys are read apart, and belong together.
        level = {} if self._file else {"isolation_level": "REPEATABLE READ"}
        self._reader = self._engine.execution_options(**level)
        try:
            with plain_errors():
                self._migrate()
            with self.read() as connection:
                facts = {row.name: row.value for row in connection.execute(sa.select(meta))}
            self.identity, self._secret = facts["id"], bytes.fromhex(facts["secret"])
        except (KeyError, ValueError, TypeError) as error:
            self.close()
            raise DamagedLedger from error
        except BaseException:
            self.close()
            raise

    def secret(self) -> bytes:
        """Return 32 random bytes, made once with the ledger; the key of prompt markers. Never leaves the server."""
        return self._secret

    def secret_for(self, purpose: str) -> bytes:
        """Return 32 bytes made of the secret, the same in every process that uses this ledger."""
        return hmac.digest(self._secret, purpose.encode(), "sha256")

    def lock(self, name: str, seconds: float) -> AbstractContextManager[object]:
        """Return a lock for all processes on this ledger. Entering it raises OSError or StoreError after `seconds`."""
        if self._file:  # all of them are on this machine
            return FileLock(f"{self._file.path}.{name}.lock", seconds)
        return SharedLock(self._engine, f"{self.identity} {name}", seconds)

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Read one consistent state."""
        with plain_errors(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Hold the writer's lock. Committed, to the disk, when the block ends without an error."""
        noted: list[str] = []
        try:
            with plain_errors(), self._writer.begin() as connection:
                connection.info[_NOTED] = noted
                if not self._file:
                    connection.execute(sa.select(counters).with_for_update())
                yield connection
        except Exception:
            for line_id in noted:
                self.tombstones.withdraw(line_id)
            raise

    def note_erasure(self, connection: sa.Connection, what: Mapping[str, Any]) -> Line:
        """Write down what is about to be erased in a transaction of `write`, and withdraw it should that fail."""
        line = {"id": str(uuid.uuid4()), "at": self.now(), **what}
        connection.info[_NOTED].append(line["id"])
        self.tombstones.append(line)
        return line

    def now(self) -> str:
        return self._clock().astimezone(UTC).isoformat()

    def last_change(self) -> int:
        """Return the sequence number of the last event that the index follows; 0 before the first."""
        return self._number(_LAST_CHANGE)

    def last_event(self) -> int:
        """Return the sequence number of the last event. While it stays, so does everything known about every entry."""
        return self._number(LAST_EVENT)

    def _number(self, query: sa.Select[Any]) -> int:
        with plain_errors(), self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def changes(self, after: int, limit: int) -> Sequence[Change]:
        """Return the last change of each of the next `limit` entries that changed after a sequence number, in order."""
        last = sa.func.max(events.c.sequence)
        wanted = (events.c.sequence > after, events.c.kind.in_([kind.value for kind in CHANGES]))
        query = sa.select(last, events.c.entry_id).where(*wanted).group_by(events.c.entry_id)
        with self.read() as connection:
            return [Change(*row) for row in connection.execute(query.order_by(last).limit(limit))]

    def next_sequence(self, connection: sa.Connection) -> int:
        """Return the next place in the order of all changes; `connection` comes from `write`."""
        return self.next_sequences(connection, 1)[0]

    def next_sequences(self, connection: sa.Connection, number: int, *, changes: bool = False) -> range:
        """Return the next `number` places in the order of all changes; `changes` if the index follows them."""
        taken = _TAKE_CHANGES if changes and number else _TAKE
        end = int(connection.execute(taken, {"number": number}).scalar_one()) + 1
        return range(end - number, end)

    def append(
        self, connection: sa.Connection, kind: EventKind, entry_id: str, owner: str, turn_id: str | None = None
    ) -> int:
        """Write an event to the log and return its sequence number; `connection` comes from `write`."""
        return self.append_all(connection, kind, [{"entry_id": entry_id, "turn_id": turn_id}], owner)[0]

    def append_all(
        self, connection: sa.Connection, kind: EventKind, rows: Sequence[Mapping[str, str | None]], owner: str = ""
    ) -> range:
        """Write one event of a kind for each of `rows`, which name `entry_id` and `turn_id`; their sequence numbers.

        Without an `entry_id`, it is about what has its number as an id.
        """
        numbers = self.next_sequences(connection, len(rows), changes=kind in CHANGES)
        same = {"kind": kind.value, "owner": owner, "created": self.now()}
        if rows:
            told = (
                {"entry_id": str(number), **row, **same, "sequence": number}
                for row, number in zip(rows, numbers, strict=True)
            )
            connection.execute(_INSERT_EVENT, list(told))
        return numbers

    def faults(self) -> list[str]:
        """Return what SQLite itself finds wrong with its file; of PostgreSQL, which looks after its own, nothing."""
        if not self._file:
            return []
        with self.read() as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        return [str(line) for line in found if line != "ok"]

    def wipe(self) -> bool:
        """Write the files of the database anew, so that what was erased is in none of them. Return False if not done.

        SQLite: its write-ahead log too; `secure_delete` alone leaves copies that were made when rows moved between
        pages. PostgreSQL: the files of the tables; its own log is overwritten in time, and backups are their owner's.
        While Litestream runs, SQLite's log cannot be emptied: to try would copy the whole ledger each time.
        """
        if self.is_replicated:
            return False
        if not self._file:
            return rewrite_tables(self._engine)
        path = self._file.path
        try:
            with plain_errors(), closing(self._engine.raw_connection()) as connection:
                for copy in path.parent.glob(f"{path.name}{_BEFORE}*"):
                    copy.unlink()
                cursor = connection.cursor()
                cursor.execute("VACUUM")
                busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except StoreError as error:
            _log.warning("What was erased is not yet gone from the file: %s", error.__cause__)
            return False
        return not busy

    @property
    def is_replicated(self) -> bool:
        """Return True if Litestream copies SQLite's file. Its copies hold what was erased until they expire."""
        if not self._file:
            return False
        return self._file.path.with_name(f".{self._file.path.name}-litestream").exists()

    def copy_to(self, path: Path) -> None:
        """Write a SQLite ledger as it is now into a file that is not there, without what was erased from it."""
        if not self._file:
            raise StoreError("A PostgreSQL ledger is backed up by pg_dump. Nothing was written.")
        with plain_errors(), closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM INTO ?", (str(path),))

    def check(self) -> None:
        """Raise StoreError where the database does not answer, or a file that was removed does."""
        with plain_errors():
            if self._file:
                self._file.require()
        self.last_change()

    def close(self) -> None:
        self._engine.dispose()

    def _migrate(self) -> None:
        with self._reader.connect() as connection:
            if not self._file:
                check_database(connection)
            version = schema_version(connection)
        if version == latest():
            return
        if self._file and 0 < version < latest():
            copy = self._file.path.with_name(f"{self._file.path.name}{_BEFORE}{latest()}")
            with replaced_file(copy) as made:
                self.copy_to(made)
            _log.warning("The ledger is migrated. A copy of it as it was is kept until the next erasure: %s", copy.name)
        with self._writer.begin() as connection:
            if not self._file:
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            migrate(connection)


def _engine(url: str) -> tuple[sa.Engine, OpenedFile | None]:
    """Return an engine, and the file where it is SQLite's. Raises StoreError."""
    try:
        if path := file_of(url):
            file = OpenedFile(path)
            return sqlite_engine(sa.make_url(url), file), file
        if sa.make_url(url).get_backend_name() == "postgresql":
            return postgres_engine(sa.make_url(url)), None
    except ImportError as error:
        raise StoreError(f"NOTED_LEDGER needs the driver {error.name}, which is not installed.") from error
    except OSError as error:
        raise StoreError("The folder of NOTED_LEDGER cannot be made; please set another.") from error
    except (SQLAlchemyError, ValueError, TypeError) as error:
        raise StoreError(_NO_LEDGER) from error
    raise StoreError(_NO_LEDGER)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what a driver or the system raises into a StoreError with one plain sentence."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        code = primary_code(getattr(error, "orig", error))
        raise StoreError(_CODES.get(code) or postgres_code(error)) from error
    except UnicodeEncodeError as error:  # an id that nothing can have: what is kept is made storable before
        raise NotFound from error
    except (OSError, UnicodeError) as error:
        raise StoreError from error
