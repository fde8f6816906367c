"""Brings the vector index up to date from the ledger, by sequence number: at start, after each change and any damage.

One thread per process writes, and a lock keeps the processes apart (LanceDB's own upsert makes two rows for one key
when two writers meet). Everything can be done again: a batch puts all rows of the entries that changed in the place of
the old ones and notes how far it came, in one commit. A table that is new is filled a batch at a time, and goes on
where it was broken off; until it is whole, questions are answered by the words of the ledger.

After an erasure ledger and index are written anew, and the ledger notes until then where its bytes may still lie:
SQLite keeps copies of a deleted row in its pages and its log, LanceDB in data files, transactions and manifests.
"""

import logging
import math
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

from filelock import FileLock
from sqlalchemy import Column, func, or_, select, update

from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.reports.upkeep import Damage, Progress, tell_nobody
from memory_store.background import BackgroundWork
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import entries, erasures
from memory_store.ledger.entries import ACTIVE, active_ids, read_entries_by_id
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.triples import names_after, read_names
from memory_store.vectors.errors import IndexUnavailable
from memory_store.vectors.index import VectorIndex
from memory_store.vectors.object_store import is_folder
from memory_store.vectors.rows import Row, differences, rows_of, rows_of_names, with_vectors

_log = logging.getLogger(__name__)

_BATCH = 64  # entries: some seconds of an embedder at most
_WAIT_SECONDS = 5.0  # how long a question waits for the index
_LOOK_EVERY = 30.0
_TRY_AGAIN = 5.0  # after it could not be brought up to date, or vectors were missing
_LOCK_SECONDS = 3.0  # how long another process may keep the lock before the index counts as unavailable
_BLOCKED_SECONDS = 10.0  # how long nobody waits again after waiting in vain
_PURGE_SECONDS = 20.0  # how long an erasure waits until it says that the files follow later


class Indexer(BackgroundWork):
    """The one writer of an index. Nothing is asked of an embedder before `start` or `catch_up`."""

    def __init__(self, ledger: Ledger, index: VectorIndex, embedder: Embedder | None, readings: Readings) -> None:
        super().__init__("indexer", self._try_to_catch_up)
        self._ledger, self._index, self._embedder, self._readings = ledger, index, embedder, readings
        self._writing = threading.Lock()
        # Beside the folder, not in it: that may be dropped. An object store has no locks, so the ledger lends one.
        self._lock_path = Path(f"{index.uri.rstrip('/')}.lock") if is_folder(index.uri) else None
        self._lock = (
            FileLock(self._lock_path, _LOCK_SECONDS) if self._lock_path else ledger.lock("index", _LOCK_SECONDS)
        )
        self._progressed = threading.Condition()
        self._blocked_until = 0.0
        self._vectors_missing = False  # whether rows wait for theirs, because the embedder failed
        self._written = 0.0  # when, if old versions of the table are not removed since
        self._filling: Iterator[list[Row]] | None = None
        self.filled = 0
        """Entries that are in a table that is being filled."""

    def wait_until_current(self, timeout: float = _WAIT_SECONDS) -> bool:
        """Wait until the index holds every change that the ledger holds now; return whether it does.

        Without `start`, bring it there here, as far as the time allows. Who has waited in vain spares others the
        waiting: for some seconds, and with a `timeout` of 0 always, this only looks. Raises StoreError.
        """
        target = self._ledger.last_change()
        if self._is_at(target) or timeout <= 0:
            return self._is_at(target)
        self.wake()
        if self._is_blocked():
            return False
        if not self.is_started:
            self.catch_up(timeout)
        elif not self._wait_for(lambda: self._is_at(target), timeout):
            self._blocked_until = monotonic() + _BLOCKED_SECONDS
        return self._is_at(target)

    def wait_until_purged(self, erasure_id: str) -> bool:
        """Wait a while for the bytes of an erasure to be in no file any more; return whether that is so by now."""
        try:
            self.wake()
            if self.is_started:
                self._wait_for(lambda: erasure_id not in self._unpurged(), _PURGE_SECONDS)
            else:
                self._step()
            return erasure_id not in self._unpurged()
        except StoreError as error:
            _log.warning("What was erased is out of memory; the files follow later: %s", error)
            return False

    def catch_up(self, seconds: float = math.inf, progress: Progress = tell_nobody) -> None:
        """Apply every change since the last one in the index; open or fill it first where needed.

        What was filled in the time stays. Raises IndexUnavailable: it cannot be opened, or filled in this time, or
        another process holds it; and StoreError.
        """
        until = monotonic() + seconds
        while not self._step():
            if self.closing.is_set() or monotonic() > until:
                raise IndexUnavailable
            progress(f"Index: {self.filled:,} entries read.")

    def rebuild(self, progress: Progress = tell_nobody) -> None:
        """Make the index anew from the ledger. Raises as `catch_up`."""
        with self._alone():
            self._index.drop()
        self.catch_up(progress=progress)

    def verify(self, progress: Progress) -> tuple[list[Damage], bool]:
        """Return what was wrong with the index, which is then made anew, and whether all is right by now."""
        found = self._damage(progress)
        if not found:
            return [], True
        progress("The index is not what the ledger says. It is made anew…")
        self.rebuild(progress)
        return found, not self._damage(progress)

    def how_far(self) -> tuple[int, int] | None:
        """Return how many entries are in a table that is being filled, and of how many; None where none is."""
        if self._index.is_whole or self._index.sequence < 0:
            return None
        with self._ledger.read() as connection:
            total = connection.execute(select(func.count()).select_from(entries).where(ACTIVE)).scalar_one()
        return min(self.filled, total), total

    def close(self) -> None:
        """Let the work end, and the index go."""
        self.closing.set()
        self._tell()
        super().close()
        self._index.close()

    def _try_to_catch_up(self) -> float:
        try:
            self.catch_up()
            if not self._vectors_missing and not self._unpurged():
                return _LOOK_EVERY
        except StoreError as error:
            _log.warning("The index is not up to date; it is tried again. %s", error)
        except Exception:  # the thread outlives what nobody foresaw; the log has the whole story
            _log.exception("The index is not up to date; it is tried again.")
        return _TRY_AGAIN

    def _step(self) -> bool:
        """Do what there is to do, of a new table one batch; return True if nothing is left."""
        in_ledger = self._unpurged(erasures.c.in_ledger)
        if in_ledger and self._ledger.wipe():
            self._note_purged(erasures.c.in_ledger, in_ledger)
        erased = self._unpurged(erasures.c.in_index)
        if not erased and self._is_up_to_date():
            self._tell()
            return True
        with self._alone():
            self._open()
            self._follow()
            if erased:
                self._index.rewrite()
                self._note_purged(erasures.c.in_index, erased)
            if not self._index.is_whole:
                self._fill()
            self._add_vectors()
            self._tidy()
        return self._index.is_whole

    def _open(self) -> None:
        """Open the index where it is not open. One that is ahead of the ledger, which was restored perhaps, goes."""
        last = self._ledger.last_change()
        if self._index.sequence > last:
            self._index.drop()
        if self._index.sequence >= 0:
            self._index.refresh()
            return
        self._filling, self.filled = None, 0
        self._index.open(*self._fingerprint(), last)
        if self._index.sequence > last:
            self._index.drop()
            self._index.open(*self._fingerprint(), last)
        self._vectors_missing = bool(self._index.waiting())

    def _follow(self) -> None:
        """Apply every change since the last one in the index."""
        while changes := self._ledger.changes(after=self._index.sequence, limit=_BATCH):
            ids = sorted({change.entry_id for change in changes})
            self._index.upsert(ids, self._embedded(self._rows_now(ids)), changes[-1].sequence)
            self._written = monotonic()
            self._tell()
            if self.closing.is_set():
                return

    def _fill(self) -> None:
        """Add the next entries that a new table has not, or note that it is whole."""
        self._filling = self._filling or self._pages()
        page = next(self._filling, None)
        ids = {row["entry_id"] for row in page or ()}
        if page is None:
            self._index.finish()
            self._filling = None
        elif missing := ids - self._index.known(ids):  # another process may fill it, too
            self._index.add(self._embedded([row for row in page if row["entry_id"] in missing]))
        self.filled += len(ids)
        self._tell()

    def _add_vectors(self) -> None:
        if not self._vectors_missing:
            return
        self._vectors_missing = False
        waiting = self._index.waiting()
        for start in range(0, len(waiting), _BATCH):
            ids = waiting[start : start + _BATCH]
            self._index.upsert(ids, self._embedded(self._rows_now(ids)), self._index.sequence)
            if self.closing.is_set() or self._vectors_missing:
                self._vectors_missing = True
                return

    def _tidy(self) -> None:
        """Join small files where there are many, and remove what was replaced once nothing has changed for a while."""
        is_idle = self._written and monotonic() - self._written > _LOOK_EVERY
        if self._index.is_whole and (is_idle or self._index.is_untidy):
            self._index.compact()
            self._written = 0.0 if is_idle else self._written

    def _damage(self, progress: Progress) -> list[Damage]:
        """Return what the index says that the ledger does not, row by row."""

        def expected() -> Iterator[Row]:
            done = 0
            for rows in self._pages():
                yield from rows
                done += len({row["entry_id"] for row in rows})
                progress(f"Index: {done:,} entries compared.")

        with self._alone():
            try:
                if self._index.sequence < 0:
                    self._index.open(*self._fingerprint(), self._ledger.last_change())
                    if not self._index.is_whole:
                        return [Damage("index", "", "it is not there, or cannot be opened")]
                self._follow()
                return list(differences(self._index.rows(), expected()))
            except IndexUnavailable:
                return [Damage("index", "", "it cannot be read")]

    def _fingerprint(self) -> tuple[str, int]:
        """Return what the vectors depend on, and their length: an index of anything else is not used."""
        if self._embedder is None:
            return f"{self._ledger.identity} none", 0
        try:
            return f"{self._ledger.identity} {self._embedder.fingerprint}", self._embedder.dimension
        except Exception as error:  # an embedder that cannot even be loaded takes nothing else down
            _log.warning("The embedder cannot be loaded: %s", error)
            raise IndexUnavailable from error

    def _pages(self) -> Iterator[list[Row]]:
        """Yield the rows of all active entries, then of all names, oldest first, some at a time."""
        last = 0
        while True:
            with self._ledger.read() as connection:
                page = active_ids(connection, last, _BATCH)
                found = read_entries_by_id(connection, [entry_id for _, entry_id in page], ACTIVE)
            if not page:
                break
            last = page[-1][0]
            yield rows_of(found, self._readings)
        last = 0
        while self._embedder is not None:  # names are found by their vectors only
            with self._ledger.read() as connection:
                names = names_after(connection, last, _BATCH)
            if not names:
                return
            last = names[-1]["id"]
            yield rows_of_names(names)

    def _rows_now(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows of these entries and names, as the ledger has them."""
        names = map(int, filter(str.isdecimal, ids if self._embedder else ()))
        with self._ledger.read() as connection:
            rows = rows_of(read_entries_by_id(connection, ids, ACTIVE), self._readings)
            return rows + rows_of_names(read_names(connection, names))

    def _embedded(self, rows: list[Row]) -> list[Row]:
        """Return the rows with their vectors; without, and noting that they are missing, where the embedder fails."""
        if self._embedder is None or not rows:
            return rows
        try:
            return with_vectors(rows, self._embedder)
        except Exception as error:  # whatever an embedder raises, feedback is saved and found by its words
            _log.warning("The embedder failed; keys are found by words until it works again: %s", error)
            self._vectors_missing = True
            return rows

    def _unpurged(self, *places: Column[bool]) -> set[str]:
        """Return the ids of the erasures whose bytes may still lie in one of these places, or in any."""
        noted = places or (erasures.c.in_ledger, erasures.c.in_index)
        with self._ledger.read() as connection:
            return set(connection.execute(select(erasures.c.id).where(or_(*noted))).scalars())

    def _note_purged(self, place: Column[bool], done: Collection[str]) -> None:
        with self._ledger.write() as connection:
            connection.execute(update(erasures).where(erasures.c.id.in_(done)).values({place: False}))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the right to write, and tell those who wait whether it went well."""
        went_well = False
        try:
            if self._lock_path:
                self._lock_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._writing, self._lock:
                yield
            went_well = True
        except OSError as error:
            raise IndexUnavailable from error
        finally:
            self._blocked_until = 0.0 if went_well else monotonic() + _BLOCKED_SECONDS
            self._tell()

    def _is_up_to_date(self) -> bool:
        """Return True if nothing is to be done, which is seen without waiting for another process's lock."""
        is_idle = self._written and monotonic() - self._written > _LOOK_EVERY
        if self._vectors_missing or is_idle or self._index.sequence < 0:
            return False
        last = self._ledger.last_change()
        if not self._is_at(last):
            with suppress(IndexUnavailable):
                self._index.refresh()
        return self._is_at(last)

    def _is_at(self, target: int) -> bool:
        return self._index.is_whole and self._index.sequence >= target

    def _tell(self) -> None:
        with self._progressed:
            self._progressed.notify_all()

    def _wait_for(self, is_done: Callable[[], bool], timeout: float) -> bool:
        """Return True if it is done before the time is over or the index is blocked."""
        with self._progressed:
            return self._progressed.wait_for(lambda: is_done() or self._is_blocked(), timeout) and is_done()

    def _is_blocked(self) -> bool:
        """Return True if waiting is in vain: it went wrong just now, or a new table is still to be filled."""
        is_filling = self._index.sequence >= 0 and not self._index.is_whole
        return monotonic() < self._blocked_until or (is_filling and self.filled >= _BATCH)
