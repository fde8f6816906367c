"""Brings the index up to date from the ledger, by sequence number: at start, after each change, and after any damage.

One thread per process writes, and a lock keeps the processes apart (LanceDB's own upsert makes two rows for one key
when two writers meet). Everything can be done again: a batch puts all rows of the entries that changed in the place of
the old ones and records how far it came, in one commit.

Where the table of the embedder in use is not there, that of one before serves and follows the ledger, while another
thread makes the new one (`memory_store.index.switching.making`), until both hold the same and the new one serves.

After an erasure ledger and index are written anew, and the ledger notes until then where its bytes may still lie:
SQLite keeps copies of a deleted row in its pages and its log, LanceDB in data files, transactions and manifests.
"""

import logging
import math
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from filelock import FileLock
from sqlalchemy import Column, or_, select, update

from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.reports.upkeep import Damage, Progress, tell_nobody
from memory_store.background import BackgroundWork
from memory_store.index.index import Index, IndexUnavailable
from memory_store.index.object_store import is_folder
from memory_store.index.projection import Projection
from memory_store.index.switching.making import Making
from memory_store.index.switching.other_tables import without_erased
from memory_store.index.switching.serving import Before, Serving
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import erasures
from memory_store.ledger.embedder_records import NO_KEY
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
    """The one writer of an index. Nothing is asked of an embedder before `start` or `catch_up`.

    `key` is that of the embedder in the records of the ledger, and `before` are indexes of embedders that were in use
    before, in the same place, the last first.
    """

    def __init__(
        self,
        ledger: Ledger,
        index: Index,
        embedder: Embedder | None,
        readings: Readings,
        key: str = NO_KEY,
        before: Sequence[Before] = (),
    ) -> None:
        super().__init__("indexer", self._try_to_catch_up)
        self._ledger = ledger
        self._writing = threading.Lock()
        # Beside the folder, not in it: that may be dropped. An object store has no locks, so the ledger lends one.
        self._lock_path = Path(f"{index.uri.rstrip('/')}.lock") if is_folder(index.uri) else None
        self._lock = (
            FileLock(self._lock_path, _LOCK_SECONDS) if self._lock_path else ledger.lock("index", _LOCK_SECONDS)
        )
        self._blocked_until = 0.0
        self._progressed = threading.Condition()
        self._own = Projection(ledger, index, embedder, readings, self.closing, self._tell)
        earlier = [
            (Projection(ledger, each.index, each.embedder, readings, self.closing, self._tell), each) for each in before
        ]
        self._serving = Serving(ledger, key, self._own, earlier)
        self._making = Making(ledger, self._own, self._alone, key)
        self._switching = BackgroundWork("switching", self._go_on_switching)

    @property
    def serving(self) -> Index:
        """The index that questions are compared with now."""
        return self._serving.now.index

    def start(self) -> None:
        super().start()
        self._switching.start()

    def wait_until_current(self, timeout: float = _WAIT_SECONDS) -> bool:
        """Wait until the index holds every change that the ledger holds now; without `start`, bring it there here, as
        far as the time allows.

        Whoever has waited in vain spares others the waiting: for some seconds, and with a `timeout` of 0 always, this
        only looks. Whether it does; else it will later. Raises StoreError.
        """
        target = self._ledger.last_change()
        if self._is_at(target):
            return True
        if timeout <= 0:
            return False
        self.wake()
        if self._is_blocked():
            return False
        if not self.is_started:
            self.catch_up(timeout)
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
                self._is_caught_up()
            return erasure_id not in self._unpurged()
        except StoreError as error:
            _log.warning("What was erased is out of memory; the files follow later: %s", error)
            return False

    def catch_up(self, seconds: float = math.inf) -> None:
        """Apply every change since the last one in the index that serves; open it first where needed.

        Where none can serve, that of the embedder in use is made, for so many seconds and a batch. What was made stays.
        Raises IndexUnavailable: none can be opened, or made in this time, or another process holds it; and StoreError.
        """
        until = monotonic() + seconds
        while not self._is_caught_up():
            if self.closing.is_set() or (monotonic() > until and self._making.has_more):
                _log.warning("The index has %s entries so far; `memory rebuild` makes all of it.", self._making.read)
                raise IndexUnavailable
            self._serving.is_missing = not self._making.step(all_vectors=False)
            self._tell()

    def rebuild(self, progress: Progress = tell_nobody) -> None:
        """Make the index of the embedder in use anew from the ledger; one that is being made is made to its end."""
        with self._alone():
            self._own.index.close()
            if self._own.partial().place() is None:
                self._own.drop()
        self._make_own(progress)

    def verify(self, progress: Progress) -> tuple[list[Damage], bool]:
        """What was wrong with the index, which is then made anew; and whether all is right by now. As `catch_up`."""
        with self._alone():
            found = self._serving.damage(progress)
            if not found:
                return [], True
            progress("The index is not what the ledger says. It is made anew…")
            self._serving.drop()
        self._make_own(progress)
        with self._alone():
            return found, not self._own.differences(progress)

    def close(self) -> None:
        self.closing.set()
        self._tell()
        super().close()
        self._switching.closing.set()
        self._switching.close()
        self._serving.close()

    def _is_caught_up(self) -> bool:
        in_ledger = self._unpurged(erasures.c.in_ledger)
        if in_ledger and self._ledger.wipe():
            self._note_purged(erasures.c.in_ledger, in_ledger)
        erased = self._unpurged(erasures.c.in_index)
        if not erased and self._is_up_to_date():
            self._tell()
            return True
        with self._alone():
            was_open = self._serving.is_open
            try:
                self._bring_up(erased)
            except IndexUnavailable:
                if not was_open or self._serving.is_open:
                    raise
                self._bring_up(erased)  # it was damaged, and let go of
        return self._serving.is_open

    def _try_to_catch_up(self) -> float:
        try:
            self.catch_up()
            if self._serving.now is self._own:
                self._serving.note_named()
            if not self._serving.now.vectors_missing and not self._unpurged():
                return _LOOK_EVERY
        except StoreError as error:
            _log.warning("The index is not up to date; it is tried again. %s", error)
        except Exception:  # the thread outlives what nobody foresaw; the log has the whole story
            _log.exception("The index is not up to date; it is tried again.")
        return _TRY_AGAIN

    def _bring_up(self, erased: Collection[str]) -> None:
        self._serving.open()
        if self._serving.is_switching:
            self._switching.wake()
        if self._serving.is_open:
            self._serving.now.follow()
            if erased:  # it follows the ledger already, so that these erasures are carried out in it
                self.serving.rewrite()
        if erased:
            without_erased(self.serving.uri, self._ledger, self.serving.table_name if self._serving.is_open else "")
            self._note_purged(erasures.c.in_index, erased)
        if self._serving.is_open:
            self._serving.now.add_vectors()

    def _make_own(self, progress: Progress) -> None:
        """Make the index of the embedder in use to its end, and let it serve."""
        while not self._making.step(all_vectors=False):
            progress(f"Index: {self._making.read:,} entries read.")
            if self.closing.is_set():
                raise IndexUnavailable
        with self._alone():
            self._serving.switch()

    def _go_on_switching(self) -> float:
        """Make the index of the embedder in use beside the one that serves, and let it serve in the end."""
        if not self._serving.is_switching:
            return _LOOK_EVERY
        try:
            if self._making.step(all_vectors=True):
                with self._alone():
                    self._serving.switch()
        except StoreError as error:
            _log.warning("The index of the embedder in use is not made yet; it is tried again. %s", error)
            return _TRY_AGAIN
        except Exception:  # the thread outlives what nobody foresaw; the log has the whole story
            _log.exception("The index of the embedder in use is not made yet; it is tried again.")
            return _TRY_AGAIN
        return 0.0

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
                self._own.checksums.record()
            went_well = True
        except OSError as error:
            raise IndexUnavailable from error
        finally:
            if not went_well:
                self._blocked_until = monotonic() + _BLOCKED_SECONDS
            elif self._serving.is_open:
                self._blocked_until = 0.0
            self._tell()

    def _is_up_to_date(self) -> bool:
        """Whether nothing is to be done, or another process has done it; that is seen without waiting for its lock."""
        last = self._ledger.last_change()
        serving = self._serving.now
        if serving.vectors_missing or serving.is_tidying_due or serving.index.sequence < 0:
            return False
        try:
            return last in (serving.index.sequence, serving.index.progress())
        except IndexUnavailable:
            return False

    def _is_at(self, target: int) -> bool:
        return self.serving.sequence >= target

    def _is_opened_at(self, target: int) -> bool:
        """Whether it holds all changes up to this one as soon as it is open, where it is being opened just now."""
        if self._serving.is_opening:
            self._wait_for(lambda: not self._serving.is_opening or self.closing.is_set(), _OPENING_SECONDS)
            return self._serving.is_open and self._wait_for(lambda: self._is_at(target), _WAIT_SECONDS)
        return False

    def _tell(self) -> None:
        with self._progressed:
            self._progressed.notify_all()

    def _wait_for(self, is_done: Callable[[], bool], timeout: float) -> bool:
        """Whether it is done, or the index is blocked, before the time is over."""
        with self._progressed:
            return self._progressed.wait_for(lambda: is_done() or self._is_blocked(), timeout)

    def _is_blocked(self) -> bool:
        """Whether waiting is in vain: it went wrong just now, or much is still to be read before anything serves."""
        return monotonic() < self._blocked_until or (self._making.has_more and not self._serving.is_open)
