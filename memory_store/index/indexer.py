"""Brings the index up to date from the ledger, by sequence number: at start, after each change, and after any damage.

One thread per process writes, and a lock keeps the processes apart (LanceDB's own upsert makes two rows for one key
when two writers meet). Everything can be done again: a batch puts all rows of the entries that changed in the place of
the old ones and records how far it came, in one commit.

After an erasure ledger and index are written anew, and the ledger notes until then where its bytes may still lie:
SQLite keeps copies of a deleted row in its pages and its log, LanceDB in data files, transactions and manifests.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from filelock import FileLock
from sqlalchemy import Column, or_, select, update

from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.reports.upkeep import Damage, Progress
from memory_store.background import BackgroundWork
from memory_store.index.index import Index, IndexUnavailable
from memory_store.index.object_store import is_folder
from memory_store.index.projection import Projection
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import erasures
from memory_store.ledger.ledger import Ledger

_log = logging.getLogger(__name__)

_WAIT_SECONDS = 5.0  # how long a question waits for the index; then the ledger has the texts
_OPENING_SECONDS = 30.0  # and how long while it is being opened: to read all of the ledger beside that takes longer
_LOOK_EVERY = 30.0
_TRY_AGAIN = 5.0  # after it could not be brought up to date, or vectors were missing
_LOCK_SECONDS = 3.0  # how long another process may keep the file lock before the index counts as unavailable
_BLOCKED_SECONDS = 10.0  # how long nobody waits again after waiting in vain
_PURGE_SECONDS = 20.0  # how long an erasure waits until it says that the files follow later


class Indexer(BackgroundWork):
    """The one writer of an index. Nothing is asked of the embedder before `start` or `catch_up`."""

    def __init__(self, ledger: Ledger, index: Index, embedder: Embedder | None, readings: Readings) -> None:
        super().__init__("indexer", self._try_to_catch_up)
        self._ledger = ledger
        self._index = index
        self._writing = threading.Lock()
        # Beside the folder, not in it: that may be dropped. An object store has no locks, so the ledger lends one.
        self._lock_path = Path(f"{index.uri.rstrip('/')}.lock") if is_folder(index.uri) else None
        self._lock = (
            FileLock(self._lock_path, _LOCK_SECONDS) if self._lock_path else ledger.lock("index", _LOCK_SECONDS)
        )
        self._blocked_until = 0.0
        self._progressed = threading.Condition()
        self._projection = Projection(ledger, index, embedder, readings, self.closing, self._tell)

    def wait_until_current(self, timeout: float = _WAIT_SECONDS) -> bool:
        """Wait until the index holds every change that the ledger holds now; without `start`, bring it there here.

        Whoever has waited in vain spares others the waiting: for some seconds, and with a `timeout` of 0 always, this
        only looks. Whether it does; else it will later. Raises StoreError.
        """
        target = self._ledger.last_change()
        if self._index.sequence >= target:
            return True
        if timeout <= 0:
            return False
        self.wake()
        if self._is_blocked():
            return False
        if not self.is_started:
            self.catch_up()
            return True
        if not (self._wait_for(lambda: self._is_at(target), timeout) or self._is_opened_at(target)):
            self._blocked_until = monotonic() + _BLOCKED_SECONDS
        return self._is_at(target)

    def wait_until_purged(self, erasure_id: str) -> bool:
        """Wait a while for the bytes of an erasure to be in no file any more; whether that is so by now."""
        try:
            self.wake()
            if self.is_started:
                self._wait_for(lambda: erasure_id not in self._unpurged(), _PURGE_SECONDS)
            else:
                self.catch_up()
            return erasure_id not in self._unpurged()
        except StoreError as error:
            _log.warning("What was erased is out of memory; the files follow later: %s", error)
            return False

    def catch_up(self) -> None:
        """Apply every change since the last one in the index; open it first where needed, and rebuild it if damaged.

        Raises IndexUnavailable: it can be neither opened nor rebuilt, or another process holds it; and StoreError.
        """
        in_ledger = self._unpurged(erasures.c.in_ledger)
        if in_ledger and self._ledger.wipe():
            self._note_purged(erasures.c.in_ledger, in_ledger)
        erased = self._unpurged(erasures.c.in_index)
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
        """Drop the index and make it anew from the ledger."""
        with self._alone():
            self._projection.make()

    def verify(self, progress: Progress) -> tuple[list[Damage], bool]:
        """What was wrong with the index, which is then made anew; and whether all is right by now. As `catch_up`."""
        with self._alone():
            found = self._projection.damage(progress)
            if not found:
                return [], True
            progress("The index is not what the ledger says. It is made anew…")
            self._projection.make()
            return found, not self._projection.differences(progress)

    def close(self) -> None:
        self.closing.set()
        self._tell()
        super().close()
        self._index.close()

    def _try_to_catch_up(self) -> float:
        try:
            self.catch_up()
            if not self._projection.vectors_missing and not self._unpurged():
                return _LOOK_EVERY
        except StoreError as error:
            _log.warning("The index is not up to date; it is tried again. %s", error)
        except Exception:  # the thread outlives what nobody foresaw; the log has the whole story
            _log.exception("The index is not up to date; it is tried again.")
        return _TRY_AGAIN

    def _bring_up(self, erased: Collection[str]) -> None:
        if self._index.sequence < 0:
            self._projection.open_or_make()
        if self._index.progress() > self._ledger.last_change():
            _log.warning("The index is ahead of the ledger, which was restored perhaps. It is rebuilt.")
            self._projection.make()
        self._projection.follow()
        if erased:  # it follows the ledger already, so that these erasures are carried out in it
            self._index.rewrite()
            self._note_purged(erasures.c.in_index, erased)
        self._projection.add_vectors()

    def _unpurged(self, *places: Column[bool]) -> set[str]:
        """Ids of the erasures whose bytes may still lie in one of these places, or in any."""
        noted = places or (erasures.c.in_ledger, erasures.c.in_index)
        with self._ledger.read() as connection:
            return set(connection.execute(select(erasures.c.id).where(or_(*noted))).scalars())

    def _note_purged(self, place: Column[bool], done: Collection[str]) -> None:
        with self._ledger.write() as connection:
            connection.execute(update(erasures).where(erasures.c.id.in_(done)).values({place: False}))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The right to write, and word to those who wait of whether it went well."""
        went_well = False
        try:
            if self._lock_path:
                self._lock_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._writing, self._lock:
                yield
                self._projection.checksums.record()
            went_well = True
        except OSError as error:
            raise IndexUnavailable from error
        finally:
            self._blocked_until = 0.0 if went_well else monotonic() + _BLOCKED_SECONDS
            self._tell()

    def _is_up_to_date(self) -> bool:
        """Whether nothing is to be done, or another process has done it; that is seen without waiting for its lock."""
        last = self._ledger.last_change()
        if self._projection.vectors_missing or self._projection.is_tidying_due or self._index.sequence < 0:
            return False
        try:
            return last in (self._index.sequence, self._index.progress())
        except IndexUnavailable:
            return False

    def _is_at(self, target: int) -> bool:
        return self._index.sequence >= target

    def _is_opened_at(self, target: int) -> bool:
        """Whether it holds all changes up to this one as soon as it is open, where it is being opened just now."""
        if self._projection.is_opening:
            self._wait_for(lambda: not self._projection.is_opening or self.closing.is_set(), _OPENING_SECONDS)
            return self._index.sequence >= 0 and self._wait_for(lambda: self._is_at(target), _WAIT_SECONDS)
        return False

    def _tell(self) -> None:
        with self._progressed:
            self._progressed.notify_all()

    def _wait_for(self, is_done: Callable[[], bool], timeout: float) -> bool:
        """Whether it is done, or the index is blocked, before the time is over."""
        with self._progressed:
            return self._progressed.wait_for(lambda: is_done() or self._is_blocked(), timeout)

    def _is_blocked(self) -> bool:
        return monotonic() < self._blocked_until
