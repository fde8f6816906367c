"""Copies of the ledger in a folder that outlives this disk, such as a mounted bucket, and back into an empty home.

SQLite needs a local disk, and some hosts give one that is lost with every restart. So each so many minutes, where
something was saved, and at the end, a backup is written whole into the folder; the last few stay. A home without a
ledger begins with the newest one that is whole. What was saved since is lost.

What was erased does not come back: `erasures.jsonl` is copied there before an erasure is carried out, and a copy made
before it is removed once there is one made after it. So the name of a copy says how many erasures it knows, then which
change is its last; no clock counts. One process writes to a folder.
"""

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import TemporaryDirectory

from sqlalchemy import func, select

from assistant.background import BackgroundWork
from assistant.errors import SettingsError, StoreError
from assistant.reports.upkeep import Backup
from assistant.settings import Settings
from memory_store.custody.backup import NoBackup, restore_backup, write_backup
from memory_store.ledger.database.durable_files import replaced_file
from memory_store.ledger.database.schema import counters, erasures
from memory_store.ledger.database.sqlite_file import file_of
from memory_store.ledger.ledger import Ledger, plain_errors

_log = logging.getLogger(__name__)

_TOMBSTONES = "erasures.jsonl"
_COPIES, _ALL = "noted-*.backup", "noted-*"
_MAKING = ".noted-snapshot-"
_DAMAGED = "damaged"
_KEPT = 3
_LOCK_SECONDS = 60.0


class Snapshots:
    """The folder of the copies. It is made where it is missing, but not what it lies in: that may be a mount to come.

    Copies are made in `home` first: SQLite is to write to a local disk only. Raises SettingsError.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder = folder
        self._home = home
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            with replaced_file(folder / ".noted-can-write"):
                pass
            # What a process that was killed did not finish; it may hold what is erased later.
            unfinished = (*folder.glob(".noted-*"), *folder.glob(f".{_TOMBSTONES}.*"), *home.glob(f"{_MAKING}*"))
            for left in unfinished:
                rmtree(left) if left.is_dir() else left.unlink()
        except OSError as error:
            raise SettingsError(
                f"Nothing can be written to {folder}; please set NOTED_SNAPSHOTS to another."
            ) from error

    def copy_tombstones(self, path: Path) -> None:
        with replaced_file(self._folder / _TOMBSTONES) as made:
            copyfile(path, made)

    def bring_back(self, settings: Settings) -> Backup | None:
        """Begin an empty home with the newest copy that is whole, and take over which erasures to make again."""
        with plain_errors():
            self._take_over(settings.erasures)
        path = file_of(settings.ledger)
        if path is None or path.exists():
            return None
        for file in self._newest_first():
            try:
                held, again = restore_backup(settings, file)
            except NoBackup:
                _log.exception("The copy %s is damaged. An older one is taken.", file)
                file.rename(file.with_suffix(f".{_DAMAGED}"))
                continue
            _log.info("The memory came back from %s; %d erasures were made again.", file, again)
            return held
        return None

    def write(self, ledger: Ledger) -> None:
        """Write a copy, then remove those that hold what was erased since, and those that are too many."""
        with (
            plain_errors(),
            TemporaryDirectory(prefix=_MAKING, dir=self._home) as workplace,
            ledger.lock("snapshot", _LOCK_SECONDS),
        ):
            with ledger.read() as connection:
                known = connection.execute(select(func.count()).select_from(erasures)).scalar_one()
                last = connection.execute(select(counters.c.sequence)).scalar_one()
            # What is erased from here on may be missing in the copy; its name may say less than that, never more.
            made = Path(workplace) / "copy"
            write_backup(ledger, made)
            with replaced_file(self._folder / f"noted-{known:08d}-{last:012d}.backup") as copy:
                copyfile(made, copy)
            before = [file for file in self._folder.glob(_ALL) if file.name < f"noted-{known:08d}"]
            for file in [*before, *self._newest_first()[_KEPT:]]:
                file.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all copies: another memory was put in the place of theirs."""
        with plain_errors():
            for file in self._folder.glob(_ALL):
                file.unlink(missing_ok=True)

    def _take_over(self, tombstones: Path) -> None:
        """Add to the erasures of the home those that only the folder knows of."""
        there = self._folder / _TOMBSTONES
        if not there.exists():
            return
        here = tombstones.read_bytes().splitlines() if tombstones.exists() else []
        known = set(here)
        missing = [line for line in there.read_bytes().splitlines() if line and line not in known]
        if missing:
            with replaced_file(tombstones) as made:
                made.write_bytes(b"\n".join([*here, *missing]) + b"\n")

    def _newest_first(self) -> Sequence[Path]:
        return sorted(self._folder.glob(_COPIES), reverse=True)


class Snapshotting(BackgroundWork):
    """Writes copies of a SQLite ledger in the background, every so many minutes where there is anything new."""

    def __init__(self, snapshots: Snapshots, ledger: Ledger, minutes: float) -> None:
        super().__init__("snapshots", self._write_again)
        self._snapshots = snapshots
        self._ledger = ledger
        self._seconds = minutes * 60
        self._writing = threading.Lock()
        self._written: object = None  # what was erased again after a copy came back is still in that copy

    def write(self) -> bool:
        """Write a copy where anything has changed since the last one; whether the last one is up to date then."""
        with self._writing:
            try:
                changed = self._ledger.stamp()
                if changed != self._written:
                    self._snapshots.write(self._ledger)
                    self._written = changed
            except StoreError as error:
                _log.warning("No copy of the memory could be written; it is tried again. %s", error)
                return False
        return True

    def close(self) -> None:
        """End the background work, and write what is not yet in a copy."""
        super().close()
        self.write()

    def _write_again(self) -> float:
        self.write()
        return self._seconds
