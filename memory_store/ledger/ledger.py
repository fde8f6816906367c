"""The ledger: the source of truth for every entry, turn and event, in SQLite or PostgreSQL.

A write transaction takes the writer's lock before it reads anything (SQLite: `BEGIN IMMEDIATE`; PostgreSQL: the row of
the sequence counter). So its checks still hold when it writes, across threads, processes and machines, and sequence
numbers follow the order of commits.
"""

import hmac
import logging
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy.exc import SQLAlchemyError

from assistant.errors import DamagedLedger, NotFound, StoreError
from assistant.kinds import KINDS, Kinds
from assistant.types import Clock, utc_now
from memory_store.ledger.database.engines import create_ledger_engine, lock_database, message_code
from memory_store.ledger.database.migrations import latest, migrate, schema_version
from memory_store.ledger.database.schema import CHANGES, EventKind, counters, events, meta, metadata
from memory_store.ledger.files import Line, Tombstones, replace_file

_log = logging.getLogger(__name__)

_NOTED = "noted erasures"
_BEFORE = ".before-version-"  # part of the name of the copy made before a migration
_MIGRATION_LOCK = 0x6E6F746564  # any number that no other program uses
_NEXT = counters.c.sequence + sa.bindparam("number")
_LAST_CHANGE = sa.select(counters.c.change)  # built once: building a statement takes longer than running it
_TAKE = sa.update(counters).values(sequence=_NEXT).returning(counters.c.sequence)
_TAKE_CHANGES = _TAKE.values(change=_NEXT)


class Ledger:
    """A database with the tables of `memory_store.ledger.database.schema`, created or migrated on opening.

    All methods raise StoreError, with one plain sentence, when the database or its files fail. `url` is
    `sqlite:///path/to/file` or `postgresql+psycopg://…`. `secret` are 32 random bytes that must never leave the server.
    """

    def __init__(
        self, url: str, clock: Clock = utc_now, tombstones: Tombstones | None = None, kinds: Kinds = KINDS
    ) -> None:
        self._clock = clock
        self.kinds = kinds
        self.tombstones = tombstones or Tombstones(None)
        engine, self._file = create_ledger_engine(url)
        self._engine = engine.execution_options(ledger=self)
        self._writer = self._engine.execution_options(noted_writes=True)
        # One snapshot per read transaction: an entry and its keys are read by separate statements.
        level = {} if self._file else {"isolation_level": "REPEATABLE READ"}
        self._reader = self._engine.execution_options(**level)
        try:
            with convert_errors():
                self._migrate()
            with self.read() as connection:
                facts = {row.name: row.value for row in connection.execute(sa.select(meta))}
            self.identity, self.secret = facts["id"], bytes.fromhex(facts["secret"])
        except (KeyError, ValueError, TypeError) as error:
            self.close()
            raise DamagedLedger from error
        except BaseException:
            self.close()
            raise

    def secret_for(self, purpose: str) -> bytes:
        """Derive a 32-byte key from the secret; every process with this ledger gets the same key."""
        return hmac.digest(self.secret, purpose.encode(), "sha256")

    def lock(self, name: str, seconds: float) -> AbstractContextManager[object]:
        """Return a lock shared by all processes. Entering it raises OSError or SQLAlchemyError after `seconds`."""
        if self._file:  # all processes are on this machine
            return FileLock(f"{self._file.path}.{name}.lock", seconds)
        return lock_database(self._engine, f"{self.identity} {name}", seconds)

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Open a read transaction on one snapshot."""
        with convert_errors(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Open a write transaction with the writer's lock; commit it, synced to disk, if the block succeeds."""
        line_ids: list[str] = []
        try:
            with convert_errors(), self._writer.begin() as connection:
                connection.info[_NOTED] = line_ids
                if not self._file:
                    connection.execute(sa.select(counters).with_for_update())
                yield connection
        except Exception:
            self.tombstones.withdraw(line_ids)
            raise

    def note_erasure(self, connection: sa.Connection, what: Mapping[str, Any]) -> Line:
        """Write a tombstone for an erasure in a transaction of `write`; withdraw it if the transaction fails.

        Its number `through` is higher than the sequence number of every row that it concerns.
        """
        through = self.next_sequences(connection, 1)[0]
        line = {"id": str(uuid.uuid4()), "at": self.now(), "through": through, **what}
        connection.info[_NOTED].append(line["id"])
        self.tombstones.append(line)
        return line

    def now(self) -> str:
        return self._clock().astimezone(UTC).isoformat()

    def last_change(self) -> int:
        """Return the sequence number of the last event that changes the index; 0 if there is none."""
        with convert_errors(), self._engine.connect() as connection:
            return int(connection.execute(_LAST_CHANGE).scalar_one())

    def changes(self, after: int, limit: int) -> Sequence[sa.Row[Any]]:
        """Return `sequence` and `entry_id` of the last change of each of the next `limit` changed entries, in order."""
        last = sa.func.max(events.c.sequence).label("sequence")
        wanted = (events.c.sequence > after, events.c.kind.in_([kind.value for kind in CHANGES]))
        query: sa.Select[Any] = sa.select(last, events.c.entry_id).where(*wanted).group_by(events.c.entry_id)
        with self.read() as connection:
            return connection.execute(query.order_by(last).limit(limit)).all()

    def next_sequences(self, connection: sa.Connection, number: int, *, changes: bool = False) -> range:
        """Return the next `number` sequence numbers; `connection` comes from `write`.

        `changes` is True for events that the index follows.
        """
        take = _TAKE_CHANGES if changes and number else _TAKE
        end = int(connection.execute(take, {"number": number}).scalar_one()) + 1
        return range(end - number, end)

    def append(
        self, connection: sa.Connection, kind: EventKind, about: Sequence[tuple[str, str | None]], owner: str = ""
    ) -> range:
        """Append one event per pair of an entry's and a turn's id; return their sequence numbers.

        `connection` comes from `write`.
        """
        numbers = self.next_sequences(connection, len(about), changes=kind in CHANGES)
        same = {"kind": kind.value, "owner": owner, "created": self.now()}
        pairs = zip(numbers, about, strict=True)
        if new := [{"sequence": number, "entry_id": entry, "turn_id": turn, **same} for number, (entry, turn) in pairs]:
            connection.execute(sa.insert(events), new)
        return numbers

    def faults(self) -> list[str]:
        """Return the faults that SQLite finds in its file; none for PostgreSQL, which checks itself."""
        with self.read() as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all() if self._file else ()
        return [str(line) for line in found if line != "ok"]

    def wipe(self) -> bool:
        """Rewrite the database files without erased data. Return False if this was not possible.

        SQLite: the file and its write-ahead log; `secure_delete` alone leaves copies of rows that moved between pages.
        PostgreSQL: the table files; its log is overwritten in time, and backups are up to their owner. While Litestream
        runs, SQLite's log cannot be truncated, and each attempt would replicate the whole ledger.
        """
        if self.is_replicated:
            return False
        try:
            if not self._file:
                options = {"isolation_level": "AUTOCOMMIT"}
                with convert_errors(), self._engine.connect().execution_options(**options) as connection:
                    connection.exec_driver_sql(f"VACUUM (FULL) {', '.join(metadata.tables)}")
                return True
            with convert_errors(), closing(self._engine.raw_connection()) as raw:
                for copy in self._file.path.parent.glob(f"{self._file.path.name}{_BEFORE}*"):
                    copy.unlink()
                cursor = raw.cursor()
                cursor.execute("VACUUM")
                busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                return not busy
        except StoreError as error:
            _log.warning("Erased data is still in the files: %s", error.__cause__)
            return False

    @property
    def is_replicated(self) -> bool:
        """Return True if Litestream replicates the SQLite file. Its copies keep erased data until they expire."""
        return self._file is not None and self._file.path.with_name(f".{self._file.path.name}-litestream").exists()

    def copy_to(self, path: Path) -> None:
        """Write the current SQLite ledger, without erased data, to a new file."""
        if not self._file:
            raise StoreError("A PostgreSQL ledger is backed up by pg_dump. Nothing was written.")
        with convert_errors(), closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM INTO ?", (str(path),))

    def check(self) -> None:
        """Raise StoreError if the database does not answer or its file was removed."""
        with convert_errors():
            if self._file:
                self._file.require()
        self.last_change()

    def close(self) -> None:
        self._engine.dispose()

    def _migrate(self) -> None:
        with self._reader.connect() as connection:
            if not self._file and connection.execute(sa.text("SHOW server_encoding")).scalar_one() != "UTF8":
                raise StoreError("The database of NOTED_LEDGER must have the encoding UTF8. Create another one.")
            version = schema_version(connection)
        if version == latest():
            return
        if self._file and 0 < version < latest():
            copy = self._file.path.with_name(f"{self._file.path.name}{_BEFORE}{latest()}")
            with replace_file(copy) as temporary:
                self.copy_to(temporary)
            _log.warning("The ledger is migrated. A copy of it as it was is kept until the next erasure: %s", copy.name)
        with self._writer.begin() as connection:
            if not self._file:
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            migrate(connection)


def ledger_of(connection: sa.Connection) -> Ledger:
    """Return the ledger that a connection comes from."""
    ledger: Ledger = connection.get_execution_options()["ledger"]
    return ledger


@contextmanager
def convert_errors() -> Iterator[None]:
    """Convert errors of drivers and the system to a StoreError with one plain sentence."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(message_code(error)) from error
    except UnicodeEncodeError as error:  # no stored id has such characters
        raise NotFound from error
    except (OSError, UnicodeError) as error:
        raise StoreError from error
