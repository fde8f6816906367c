"""Brings the index up to date from the ledger, by sequence number: at start, after each change, and after any damage.

One thread per process writes, and a lock keeps the processes apart (LanceDB's own upsert makes two rows for one key
when two writers meet): a file's, or the ledger's where the index lies in an object store. Everything it does can be
done again: a batch puts all rows of the entries that changed in the place of the old ones and records how far it came,
in one commit.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from filelock import FileLock

from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.upkeep import Damage, Progress
from memory_store.index import Index
from memory_store.index_content import IndexContent
from memory_store.ledger import Ledger
from memory_store.lookup import IndexUnavailable, Readings
from memory_store.object_store import is_folder
from memory_store.seals import NoSeals, Seals
from memory_store.sweep import Sweep

_log = logging.getLogger(__name__)

_LOOK_EVERY = 30.0
_TRY_AGAIN = 5.0  # after it could not be brought up to date, or vectors were missing
_LOCK_SECONDS = 3.0  # how long another process may keep the file lock before the index counts as unavailable
_BLOCKED_SECONDS = 10.0  # how long nobody waits again after waiting in vain
_CLOSING_SECONDS = 5.0
_SWEEPING_SECONDS = 20.0  # how long an erasure waits until it says that the files follow later


class Indexer:
    """The one writer of an index.

    Args:
        ledger: what it reads.
        index: what it writes.
        embedder: writes vectors; None leaves the index without any. Asked for nothing before `start` or `catch_up`.
        readings: how texts are made comparable.
    """

    def __init__(self, ledger: Ledger, index: Index, embedder: Embedder | None, readings: Readings) -> None:
        self._ledger = ledger
        self._index = index
        self._sweep = Sweep(ledger, index)
        self._writing = threading.Lock()
        self._lock_path = _lock_path(index.uri)
        # An object store has no locks, so the ledger, which all that write to it share, lends one.
        self._lock = (
            FileLock(self._lock_path, _LOCK_SECONDS) if self._lock_path else ledger.lock("index", _LOCK_SECONDS)
        )
        self._seals = Seals(Path(index.uri)) if is_folder(index.uri) else NoSeals()
        self._blocked_until = 0.0
        self._closing = threading.Event()
        self._woken = threading.Event()
        self._progressed = threading.Condition()
        self._content = IndexContent(ledger, index, embedder, readings, self._seals, self._closing, self._tell)
        self._worker: threading.Thread | None = None

    def start(self) -> None:
        """Open the index and keep it up to date, in the background."""
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="indexer", daemon=True)
            self._worker.start()

    def wake(self) -> None:
        """There may be something to do. Returns at once."""
        self._woken.set()

    def fresh(self, timeout: float) -> bool:
        """Wait until the index holds every change that the ledger holds now; without `start`, bring it there here.

        Whoever has waited in vain spares others the waiting: for some seconds this only looks.

        Args:
            timeout: seconds to wait for the background work; 0 only looks.

        Returns:
            Whether it does. Where not (it is being opened or rebuilt, or another process holds it), it will later.

        Raises:
            StoreError: the ledger cannot be read, or there is no background work and the index cannot be written.
        """
        target = self._ledger.last_change()
        if self._index.sequence >= target:
            return True
        if timeout <= 0:
            return False
        self.wake()
        if self._is_blocked():
            return False
        if self._worker is None:
            self.catch_up()
            return True
        with self._progressed:
            if not self._progressed.wait_for(lambda: self._index.sequence >= target or self._is_blocked(), timeout):
                self._blocked_until = monotonic() + _BLOCKED_SECONDS
        return self._index.sequence >= target

    def swept(self, erasure_id: str) -> bool:
        """Wait a while for the bytes of an erasure to be in no file any more; without `start`, see to it here.

        Returns:
            Whether that is so. Where not (the index cannot be opened now, or is large), it will be later.
        """
        try:
            self.wake()
            if self._worker is None:
                self.catch_up()
                return self._sweep.is_done(erasure_id)
            with self._progressed:
                self._progressed.wait_for(
                    lambda: self._sweep.is_done(erasure_id) or self._is_blocked(), _SWEEPING_SECONDS
                )
            return self._sweep.is_done(erasure_id)
        except StoreError as error:
            _log.warning("What was erased is out of memory; the files follow later: %s", error)
            return False

    def catch_up(self) -> None:
        """Apply every change since the last one in the index; open it first where needed, and rebuild it if damaged.

        Raises:
            IndexUnavailable: it can be neither opened nor rebuilt, or another process holds it.
            StoreError: the ledger cannot be read.
        """
        self._sweep.ledger()
        erased = self._sweep.waiting("in_index")
        if not erased and self._is_up_to_date():
            self._tell()
            return
        with self._alone():
            was_open = self._index.sequence >= 0
            try:
                self._bring_up(erased)
            except IndexUnavailable:
                if not was_open or self._index.sequence >= 0:
                    raise
                self._bring_up(erased)  # it was damaged, and let go of

    def rebuild(self) -> None:
        """Drop the index and make it anew from the ledger.

        Raises:
            IndexUnavailable: it cannot be made, or another process holds it.
            StoreError: the ledger cannot be read.
        """
        with self._alone():
            self._content.make()

    def verify(self, progress: Progress) -> tuple[list[Damage], bool]:
        """Compare the index with the ledger, row by row, and make it anew where it is not what the ledger says.

        Returns:
            What was wrong, and whether all is right by now.

        Raises:
            IndexUnavailable: it cannot be made, or another process holds it.
            StoreError: the ledger cannot be read.
        """
        with self._alone():
            found = self._content.damage(progress)
            if not found:
                return [], True
            progress("The index is not what the ledger says. It is made anew…")
            self._content.make()
            return found, not self._content.differences(progress)

    def close(self) -> None:
        """End the background work, after the batch that it is at; where that takes long, it ends with the process."""
        self._closing.set()
        self.wake()
        if self._worker is not None:
            self._worker.join(_CLOSING_SECONDS)
        self._index.close()

    def _work(self) -> None:
        while not self._closing.is_set():
            self._woken.clear()
            is_done = False
            try:
                self.catch_up()
                is_done = not self._content.vectors_missing and self._sweep.is_over()
            except StoreError as error:
                _log.warning("The index is not up to date; it is tried again. %s", error)
            except Exception:  # the thread outlives what nobody foresaw; the log has the whole story
                _log.exception("The index is not up to date; it is tried again.")
            self._woken.wait(_LOOK_EVERY if is_done else _TRY_AGAIN)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The right to write, and word to those who wait of whether it went well."""
        went_well = False
        try:
            if self._lock_path:
                self._lock_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._writing, self._lock:
                yield
                self._seals.seal()
            went_well = True
        except OSError as error:
            raise IndexUnavailable from error
        finally:
            self._blocked_until = 0.0 if went_well else monotonic() + _BLOCKED_SECONDS
            self._tell()

    def _is_up_to_date(self) -> bool:
        """Whether nothing is to be done, or another process has done it; that is seen without waiting for its lock."""
        last = self._ledger.last_change()
        if self._content.vectors_missing or self._content.is_tidying_due or self._index.sequence < 0:
            return False
        try:
            return last in (self._index.sequence, self._index.progress())
        except IndexUnavailable:
            return False

    def _tell(self) -> None:
        with self._progressed:
            self._progressed.notify_all()

    def _is_blocked(self) -> bool:
        return monotonic() < self._blocked_until

    def _bring_up(self, erased: Sequence[str]) -> None:
        if self._index.sequence < 0:
            self._content.open_or_make()
        if self._index.progress() > self._ledger.last_change():
            _log.warning("The index is ahead of the ledger, which was restored perhaps. It is rebuilt.")
            self._content.make()
        self._content.follow()
        self._sweep.index(erased)
        self._content.add_vectors()


def _lock_path(index_uri: str) -> Path | None:
    """Where the file lock lies that keeps the processes of one machine apart; None for an object store.

    Beside the folder, not in it: the folder may be dropped.
    """
    return Path(f"{index_uri.rstrip('/')}.lock") if is_folder(index_uri) else None
