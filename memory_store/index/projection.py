"""What an index holds of the ledger: made anew from it, kept up with it, and compared with it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from threading import Event
from time import monotonic

from assistant.ports import Embedder
from assistant.reports.upkeep import Damage, Progress
from memory_store.index.file_checksums import FileChecksums
from memory_store.index.index import Index, IndexUnavailable
from memory_store.index.rows import Row, differences, rows_of, rows_of_names, with_vectors
from memory_store.language.word_translation import Readings
from memory_store.ledger.entries import ACTIVE, active_ids, read_entries_by_id
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.triples import names_after, read_names

_log = logging.getLogger(__name__)

_BATCH = 256
_KEEP_VERSIONS = timedelta(seconds=30)  # longer than any search takes
_TIDYINGS = 3  # after one, while nothing changes: they join what it left apart, and remove what it replaced


@dataclass
class Projection:
    """The content of one index. Whoever calls its methods holds the right to write to it; they raise IndexUnavailable.

    Once `closing` is set, what is long ends after its batch; `followed` is called whenever something has changed.
    """

    _ledger: Ledger
    _index: Index
    _embedder: Embedder | None
    _readings: Readings
    _closing: Event
    _followed: Callable[[], None]
    _tidyings_left: int = 0
    _written: float = 0.0
    is_opening: bool = False  # and is neither made anew nor waits for its embedder, which may take minutes
    vectors_missing: bool = False  # whether rows wait for theirs, because the embedder failed

    @cached_property
    def checksums(self) -> FileChecksums:
        return FileChecksums(Path(self._index.uri))

    @property
    def is_tidying_due(self) -> bool:
        """Whether what a tidying replaced is there still, no search reads it any more, and nothing changed lately."""
        return self._tidyings_left > 0 and monotonic() - self._written > _KEEP_VERSIONS.total_seconds()

    def open_or_make(self) -> None:
        """Open the index where it is whole and of this ledger and embedder; else make it anew."""
        fingerprint, dimension = self._fingerprint()
        self.is_opening = True
        try:
            self._open(fingerprint, dimension)
        except IndexUnavailable:
            self._opened()
            _log.info("The index is made from the ledger.")
            self.make()
        finally:
            self._opened()

    def make(self) -> None:
        """A new table from all active entries. Killed in the middle, it has no progress row, and is made again."""
        fingerprint, dimension = self._fingerprint()
        self.checksums.clear()
        self.vectors_missing = False
        sequence = self._ledger.last_change()
        self._index.make(fingerprint, dimension, map(self._with_vectors, self._pages()), sequence)

    def follow(self) -> None:
        """Apply every change since the last one in the index, which is open, and tidy it where that is due."""
        while changes := self._ledger.changes(after=self._index.progress(), limit=_BATCH):
            self._replace(sorted({change.entry_id for change in changes}), changes[-1].sequence)
            self._followed()
            if self._closing.is_set():
                return
        if self._index.is_untidy:
            self._tidyings_left = _TIDYINGS + 1
        elif not self.is_tidying_due:
            return
        is_changed = self._index.tidy(keep=_KEEP_VERSIONS)
        self._tidyings_left = self._tidyings_left - 1 if is_changed else 0
        self._written = monotonic()

    def add_vectors(self) -> None:
        if not self.vectors_missing:
            return
        self.vectors_missing = False
        waiting = self._index.without_vector()
        for start in range(0, len(waiting), _BATCH):
            if self._closing.is_set() or self.vectors_missing:
                self.vectors_missing = True
                return
            self._replace(waiting[start : start + _BATCH], self._index.progress())

    def damage(self, progress: Progress) -> list[Damage]:
        """What is wrong with the index, which is then closed, or open and up to date."""
        broken = [Damage("index file", name, "it is not what was written") for name in self.checksums.broken()]
        broken += [Damage("index file", name, "nobody knows whether it is whole") for name in self.checksums.strays()]
        if broken:
            return broken
        try:
            if self._index.sequence < 0:
                self._open(*self._fingerprint())
            self.follow()
        except IndexUnavailable:
            return [Damage("index", "", "it is not there, or cannot be opened")]
        return self.differences(progress)

    def differences(self, progress: Progress) -> list[Damage]:
        """Where the index, which is open, is not what the ledger says, row by row."""

        def expected() -> Iterator[Row]:
            done = 0
            for rows in self._pages():
                yield from rows
                done += len({row["entry_id"] for row in rows})
                progress(f"Index: {done:,} entries compared.")

        try:
            return list(differences(self._index.rows(), expected()))
        except IndexUnavailable:
            return [Damage("index", "", "it cannot be read")]

    def _opened(self) -> None:
        self.is_opening = False
        self._followed()

    def _open(self, fingerprint: str, dimension: int) -> None:
        if broken := self.checksums.broken():
            _log.warning("Files of the index are damaged: %s", ", ".join(broken))
            raise IndexUnavailable
        if not self.checksums.trust():
            _log.warning("Using the index ended a process. It is not used again.")
            raise IndexUnavailable
        self._index.open(fingerprint, dimension)
        self.vectors_missing = bool(self._index.without_vector())

    def _fingerprint(self) -> tuple[str, int]:
        """What the vectors depend on, and their length: an index of anything else is not used."""
        if self._embedder is None:
            return f"{self._ledger.identity} none", 0
        try:
            return f"{self._ledger.identity} {self._embedder.fingerprint}", self._embedder.dimension
        except Exception as error:  # an embedder that cannot even be loaded takes nothing else down
            _log.warning("The embedder cannot be loaded: %s", error)
            raise IndexUnavailable from error

    def _pages(self) -> Iterator[list[Row]]:
        """The rows of all active entries, then of all names, oldest first, some at a time."""
        for page_after in (self._entries_after, self._names_after):
            rows, after = page_after(0)
            while after:
                if self._closing.is_set():
                    raise IndexUnavailable
                yield rows
                rows, after = page_after(after)

    def _entries_after(self, after: int) -> tuple[list[Row], int]:
        """The rows of the next active entries, and where the last of them stands; 0 where there are none."""
        with self._ledger.read() as connection:
            page = active_ids(connection, after, _BATCH)
            found = read_entries_by_id(connection, [entry_id for _, entry_id in page], ACTIVE)
        return rows_of(found, self._readings), page[-1][0] if page else 0

    def _names_after(self, after: int) -> tuple[list[Row], int]:
        if self._embedder is None:  # names are found by their vectors only
            return [], 0
        with self._ledger.read() as connection:
            page = names_after(connection, after, _BATCH)
        return rows_of_names(page), page[-1]["id"] if page else 0

    def _replace(self, ids: Sequence[str], sequence: int) -> None:
        """Put what the ledger holds of these entries and names in the place of what the index does."""
        names = map(int, filter(str.isdecimal, ids if self._embedder else ()))
        with self._ledger.read() as connection:
            rows = rows_of(read_entries_by_id(connection, ids, ACTIVE), self._readings)
            rows += rows_of_names(read_names(connection, names))
        self._index.replace(ids, self._with_vectors(rows), sequence)
        self._written = monotonic()

    def _with_vectors(self, rows: list[Row]) -> list[Row]:
        if self._embedder is None or not rows:
            return rows
        try:
            return with_vectors(rows, self._embedder)
        except Exception as error:  # whatever an embedder raises, feedback is saved and found by wording
            _log.warning("The embedder failed; keys are found by wording until it works again: %s", error)
            self.vectors_missing = True
            return rows
