"""Update or rebuild the vector index from the ledger, by sequence number: at start, after changes, and after damage.

One thread per process writes, under a lock between processes (in LanceDB, two concurrent upserts can both insert a
key). A new table starts at sequence 0, so a rebuild is the same as catching up. A batch replaces all rows of the
changed entries and sets the sequence number in one commit, so interrupted work continues there. Until the index is
current, or while the embedder fails, the ledger's word search answers.

After an erasure, ledger and index are rewritten, which the ledger records as pending: both keep copies of deleted rows.
"""

import logging
import math
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic

from sqlalchemy import Column, or_, select, update

from assistant.background import BackgroundWork
from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.reports.upkeep import Damage, Progress, ignore_progress
from memory_store.ledger.database.schema import erasures
from memory_store.ledger.entries import ACTIVE, read_entries_by_id
from memory_store.ledger.ledger import Ledger
from memory_store.vectors.index import IndexUnavailable, VectorIndex
from memory_store.vectors.rows import Row, build_name_rows, build_rows, encode_texts

_log = logging.getLogger(__name__)

_BATCH = 64  # entries; at most some seconds for an embedder
_REMOVED_AT_ONCE = 1_000
_SMALL_FILES = 64  # more of them slow down reading
_WAIT_SECONDS = 5.0  # for a question to wait for the index
_CHECK_EVERY = 30.0
_RETRY_SECONDS = 5.0  # after a failure
_LOCK_SECONDS = 3.0  # to wait for another process's lock before the index counts as unavailable
_PURGE_SECONDS = 20.0  # for an erasure to wait for the files


class Indexer(BackgroundWork):
    """The only writer of an index. Does not use the embedder before `start` or `catch_up`."""

    def __init__(self, ledger: Ledger, index: VectorIndex, embedder: Embedder | None) -> None:
        super().__init__("indexer", self._try_to_catch_up)
        self._ledger, self._index, self._embedder = ledger, index, embedder
        self._writing = threading.Lock()
        self._progressed = threading.Condition()
        self._is_stuck = False  # the last attempt failed, or a wait timed out
        self._is_far_behind = False  # more than one batch is left

    def wait_until_current(self, timeout: float = _WAIT_SECONDS) -> bool:
        """Wait until the index includes every change now in the ledger; return True if it does.

        Without `start`, catch up in this thread within `timeout`. After a timeout, later calls do not wait until the
        indexer succeeds; `timeout` 0 only checks. Raises StoreError.
        """
        target = self._ledger.last_change()
        if self._index.sequence < target and timeout > 0:
            self.wake()
            if self.is_started:
                is_done = self._wait_for(lambda: self._index.sequence >= target, timeout)
                self._is_stuck = self._is_stuck or not is_done
            else:
                with suppress(IndexUnavailable):
                    self.catch_up(timeout)
        return self._index.sequence >= target

    def wait_until_purged(self, erasure_id: str) -> bool:
        """Wait until the files are rewritten after an erasure; return False if that is still pending."""
        try:
            self.wake()
            if not self.is_started:
                with suppress(IndexUnavailable):
                    self._step()
            elif not self._ledger.is_replicated:
                self._wait_for(lambda: erasure_id not in self._find_unpurged(), _PURGE_SECONDS)
            return erasure_id not in self._find_unpurged()
        except StoreError as error:
            _log.warning("Erased data is gone from memory, but not yet from the files: %s", error)
            return False

    def catch_up(self, seconds: float = math.inf, progress: Progress = ignore_progress) -> None:
        """Apply all changes since the last indexed one; open the index if needed. Applied batches stay.

        Raises IndexUnavailable if the index cannot be opened or does not become current in this time, another process
        holds its lock, or the embedder fails; and StoreError.
        """
        until = monotonic() + seconds
        while not self._step():
            if self.closing.is_set() or monotonic() > until:
                raise IndexUnavailable
            progress("Index: {:,} of {:,} changes read.".format(*self.progress() or (0, 0)))

    def rebuild(self, progress: Progress = ignore_progress) -> None:
        """Rebuild the index from the ledger. Raises as `catch_up`."""
        with self._hold_locks():
            self._index.drop()
        self.catch_up(progress=progress)

    def verify(self, progress: Progress) -> list[Damage]:
        """Open and read the whole index, rebuild it if it is damaged, and return the damage. Raises as `catch_up`."""
        with self._hold_locks():
            self._index.close()
            self._open()
            is_new = self._index.sequence == 0 < self._ledger.last_change()
        self.catch_up(progress=progress)
        return [Damage("index", "", "it was not there, or could not be read")] if is_new else []

    def progress(self) -> tuple[int, int] | None:
        """Return the numbers of indexed and of all changes; None if at most a batch is missing."""
        return (self._index.sequence, self._ledger.last_change()) if self._is_far_behind else None

    def close(self) -> None:
        """Stop the thread and close the index."""
        super().close()
        self._index.close()

    def _try_to_catch_up(self) -> float:
        try:
            self.catch_up()
            self._is_stuck, pause = False, _RETRY_SECONDS if self._find_unpurged() else _CHECK_EVERY
        except Exception as error:  # the thread must survive; log unexpected errors with their trace
            is_foreseen = isinstance(error, StoreError)
            _log.warning("The index is not up to date; trying again later. %s", error, exc_info=not is_foreseen)
            self._is_stuck, pause = True, _RETRY_SECONDS
        self._notify()
        return pause

    def _step(self) -> bool:
        """Rewrite files after erasures, and apply one batch of changes; return True if nothing is left."""
        in_ledger = self._find_unpurged(erasures.c.in_ledger)
        if in_ledger and self._ledger.wipe():
            self._note_purged(erasures.c.in_ledger, in_ledger)
        erased = self._find_unpurged(erasures.c.in_index)
        if not erased and self._is_up_to_date():
            self._is_far_behind = False  # another process may have caught up
            return True
        with self._hold_locks():
            self._open()
            if erased:  # first, so that a failing embedder cannot keep erased data
                self._remove_changed()
                self._index.rewrite()
                self._note_purged(erasures.c.in_index, erased)
            self._apply_batch()
            self._index.compact(_SMALL_FILES)
        return not self._is_far_behind

    def _open(self) -> None:
        """Open the index; drop one that is ahead of the ledger, which a backup may have replaced."""
        embedder, is_open = self._embedder, self._index.sequence >= 0
        if is_open:
            self._index.refresh()
        while not is_open or self._index.sequence > self._ledger.last_change():
            if is_open:
                self._index.drop()
            # A constant of one number stands for a vector without an embedder.
            fingerprint = f"{self._ledger.identity} {embedder.fingerprint if embedder else 'none'}"
            self._index.open(fingerprint, lambda: embedder.dimension if embedder else 1)
            is_open = True

    def _apply_batch(self) -> None:
        """Apply the next batch of changes."""
        last = self._ledger.last_change()  # read first, so that later changes are not skipped
        changes = self._ledger.changes(self._index.sequence, _BATCH)
        self._is_far_behind = len(changes) == _BATCH
        reached = changes[-1].sequence if changes else last
        if not self._is_far_behind:
            reached = max(reached, last)  # events of erased entries are gone
        if reached > self._index.sequence:
            ids = sorted({change.entry_id for change in changes})
            self._index.upsert(ids, self._rows_of(ids), reached)
            self._notify()

    def _rows_of(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows of active entries and of names in them, with vectors."""
        with self._ledger.read() as connection:
            entries = read_entries_by_id(connection, ids, ACTIVE)
        if self._embedder is None or not entries:
            return build_rows(entries)
        rows = build_rows(entries) + build_name_rows(entries)
        texts = list(dict.fromkeys(row["text"] for row in rows))
        vectors = dict(zip(texts, encode_texts(texts, self._embedder) if texts else (), strict=True))
        return [row | {"vector": vectors[row["text"]]} for row in rows]

    def _remove_changed(self) -> None:
        """Remove the rows of all changed entries; `_apply_batch` adds back those that still exist."""
        after = reached = self._index.sequence
        while changes := self._ledger.changes(after, _REMOVED_AT_ONCE):
            self._index.upsert({change.entry_id for change in changes}, (), reached)
            after = changes[-1].sequence

    def _find_unpurged(self, *places: Column[bool]) -> set[str]:
        """Return the ids of erasures whose bytes may remain in one of these places, or in any."""
        columns = places or (erasures.c.in_ledger, erasures.c.in_index)
        with self._ledger.read() as connection:
            return set(connection.execute(select(erasures.c.id).where(or_(*columns))).scalars())

    def _note_purged(self, place: Column[bool], done: Collection[str]) -> None:
        with self._ledger.write() as connection:
            connection.execute(update(erasures).where(erasures.c.id.in_(done)).values({place: False}))

    @contextmanager
    def _hold_locks(self) -> Iterator[None]:
        """Hold the locks for writing. Convert errors of a lock, and any error of an embedder, to IndexUnavailable."""
        try:
            # Object stores have no locks.
            with self._writing, self._ledger.lock("index", _LOCK_SECONDS):
                yield
        except StoreError:
            raise
        except Exception as error:
            _log.warning("The index cannot be written; texts are found by words meanwhile: %s", error)
            raise IndexUnavailable from error

    def _is_up_to_date(self) -> bool:
        """Return True if the index is current, without waiting for the lock."""
        if self._index.sequence < 0:
            return False
        last = self._ledger.last_change()
        if self._index.sequence < last:
            with suppress(IndexUnavailable):
                self._index.refresh()
        return self._index.sequence >= last

    def _notify(self) -> None:
        with self._progressed:
            self._progressed.notify_all()

    def _wait_for(self, is_done: Callable[[], bool], timeout: float) -> bool:
        """Return True if `is_done` within `timeout`; stop waiting early if the indexer is stuck or far behind."""
        with self._progressed:
            self._progressed.wait_for(lambda: is_done() or self._is_stuck or self._is_far_behind, timeout)
            return is_done()
