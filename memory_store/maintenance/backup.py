"""Back up the ledger as one file, restore it, and verify it. The index is not included; it is rebuilt from the ledger.

A backup is a zip file, which has checksums, of a snapshot of the ledger. Restoring applies the erasures made since the
backup.
"""

import errno
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select, update

from assistant.errors import StoreError
from assistant.reports.upkeep import Backup, Damage, Progress
from assistant.settings import Settings
from memory_store.ledger.database.engines import file_of
from memory_store.ledger.database.schema import entries, erasures
from memory_store.ledger.entries import read_entries_by_id
from memory_store.ledger.files import Tombstones, replace_file, sync_folder
from memory_store.ledger.ledger import Ledger, convert_errors
from memory_store.ledger.rows import split_into_batches
from memory_store.maintenance.erasure import Eraser
from memory_store.vectors.index import VectorIndex

_LEDGER = "ledger.sqlite3"
_RESTORING = ".noted-restore-"


class InvalidBackup(StoreError):
    code = "This file is not a backup of Noted, or it is damaged. Nothing was changed; choose another one."


class LedgerInUse(StoreError):
    code = "The memory is in use. Nothing was changed; stop Noted, then restore."


def write_backup(ledger: Ledger, file: Path) -> Backup:
    """Write a backup of a SQLite ledger, replacing `file`; others may write to the ledger meanwhile."""
    with convert_errors(), TemporaryDirectory(prefix=".noted-backup-", dir=file.parent) as folder:
        copy = Path(folder) / _LEDGER
        ledger.copy_to(copy)
        with replace_file(file) as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(copy, _LEDGER)
            return _describe(archive, copy)


def restore_backup(settings: Settings, file: Path) -> tuple[Backup, int]:
    """Replace the current ledger, even if damaged, with a backup, and delete the index so that it is rebuilt.

    Returns the backup's summary, and the number of later erasures applied to it. Raises InvalidBackup if the file
    is damaged or not a backup, LedgerInUse, or StoreError if the ledger is not SQLite or cannot be written.
    """
    path = file_of(settings.ledger)
    if path is None:
        raise StoreError("A PostgreSQL ledger is restored by pg_restore. Nothing was changed.")
    with convert_errors():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=_RESTORING, dir=path.parent) as folder:
            copy = Path(folder) / _LEDGER
            backup = _extract_ledger(file, copy)
            ledger = Ledger(f"sqlite:///{copy}", tombstones=Tombstones(settings.erasures))
            again = Eraser(ledger).resume()
            with ledger.write() as connection:  # nothing is pending: `wipe` rewrites the copy, and the index is rebuilt
                connection.execute(update(erasures).values(in_ledger=False, in_index=False))
            wiped = ledger.wipe()
            ledger.close()
            if not wiped or Path(f"{copy}-wal").exists():
                raise StoreError
            with _lock_exclusively(path):
                VectorIndex(settings.index).drop()
                for name in (f"{path}-wal", f"{path}-shm"):
                    Path(name).unlink(missing_ok=True)
                copy.replace(path)
                sync_folder(path.parent)
    return backup, again


def remove_leftovers(ledger_url: str) -> None:
    """Remove the folders of interrupted restores: they may contain data erased since the backup."""
    if path := file_of(ledger_url):
        with convert_errors():
            for leftover in path.parent.glob(f"{_RESTORING}*"):
                shutil.rmtree(leftover)


def _extract_ledger(file: Path, copy: Path) -> Backup:
    """Extract the ledger of a backup to `copy`, and describe it. Raises InvalidBackup if it is damaged."""
    try:
        with zipfile.ZipFile(file) as archive:
            archive.extract(_LEDGER, copy.parent)
            return _describe(archive, copy)
    except FileNotFoundError:
        raise StoreError(f"There is no file {file}. Nothing was changed.") from None
    except Exception as error:  # `zipfile` raises nearly any error for a damaged file
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # EINVAL: invalid offset in the zip
            raise
        raise InvalidBackup from error


def _describe(archive: zipfile.ZipFile, copy: Path) -> Backup:
    """Check the file in a backup, and count its rows. Raises sqlite3.Error or ValueError if it is damaged."""
    copy.chmod(0o600)
    with closing(sqlite3.connect(copy)) as copied:
        (answer,) = copied.execute("PRAGMA integrity_check").fetchone()
        numbers = copied.execute("SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM turns)").fetchone()
    if answer != "ok":
        raise ValueError
    return Backup(datetime(*archive.getinfo(_LEDGER).date_time).astimezone(UTC), *numbers)


@contextmanager
def _lock_exclusively(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the ledger; a damaged file needs none. Raises LedgerInUse."""
    if not path.exists():
        yield
        return
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as present:
        try:
            # SQLite leaves WAL mode only if no other connection is open.
            if present.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
                raise LedgerInUse
            present.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if (error.sqlite_errorcode & 0xFF) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise LedgerInUse from error
        yield


def check_ledger(ledger: Ledger, progress: Progress) -> tuple[int, list[Damage]]:
    """Return the number of entries, and all damage that SQLite or the checksums of entries show."""
    progress("The ledger's file…")
    found: list[Damage] = []
    ids: Sequence[str] = ()
    try:
        found += [Damage("file", "", fault) for fault in ledger.faults()]
        with ledger.read() as connection:
            ids = connection.scalars(select(entries.c.id).order_by(entries.c.id)).all()
            for some in split_into_batches(ids):
                progress(f"Entries: {ids.index(some[0]):,} of {len(ids):,} looked at.")
                whole = {entry.id for entry in read_entries_by_id(connection, some)}
                found += [Damage("entry", name, "it is not what was saved") for name in some if name not in whole]
    except StoreError as error:
        found.append(Damage("file", "", str(error)))
    return len(ids), found
