"""Which index serves: that of the embedder in use, or of one before it until that is there."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.reports.upkeep import Damage, Progress
from memory_store.index.index import Index, IndexUnavailable
from memory_store.index.projection import Projection
from memory_store.index.switching.other_tables import drop_all_but, drop_damaged
from memory_store.ledger.embedder_records import note_named, wanted_tables
from memory_store.ledger.ledger import Ledger

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Before:
    """The index of an embedder that was in use before; `load` begins to load that, and returns at once.

    `release` lets go of it.
    """

    index: Index
    embedder: Embedder
    load: Callable[[], None]
    release: Callable[[], None]


@dataclass
class Serving:
    """The indexes that may serve. Whoever calls its methods holds the right to write; they raise IndexUnavailable.

    `key` is that of the embedder in use in the records of the ledger; those before it are the last first.
    """

    ledger: Ledger
    key: str
    own: Projection
    before: Sequence[tuple[Projection, Before]]
    is_missing: bool = False  # the table of the embedder in use, as far as is known, and those before it

    def __post_init__(self) -> None:
        self.now = self.own

    @property
    def is_open(self) -> bool:
        """Whether one serves."""
        return self.now.index.sequence >= 0

    @property
    def is_opening(self) -> bool:
        """Whether one is being opened just now."""
        return any(each.is_opening for each in (self.own, *(projection for projection, _ in self.before)))

    @property
    def is_switching(self) -> bool:
        """Whether one from before serves."""
        return self.now is not self.own and self.is_open

    def open(self) -> None:
        """Open the index of the embedder in use, else the last before it, unless that was tried in vain."""
        if self.is_open and self._is_ahead(self.now):
            self.now.drop()
        if self.is_open or self.is_missing:
            return
        drop_damaged(self.own.index.uri, self.own.checksums)
        for each, earlier in ((self.own, None), *self.before):
            with suppress(IndexUnavailable):
                each.open()
                if self._is_ahead(each):
                    each.drop()
                    continue
                self.now = each
                if earlier is None:
                    self.note_named()
                    self._tidy()
                else:
                    _log.info("The index of the embedder before serves until that of the present one is made.")
                    earlier.load()
                return
        self.is_missing = True
        _log.info("The index is made from the ledger.")

    def switch(self) -> None:
        """Let the index of the embedder in use serve, which was made."""
        self.own.open()
        self.own.follow()
        before, self.now, self.is_missing = self.now, self.own, False
        for each, earlier in self.before:
            if each is before:
                each.index.close()
                earlier.release()
        self._tidy()

    def note_named(self) -> None:
        """Note, now and then, that the settings name the embedder in use; a ledger that is full is no hindrance."""
        with suppress(StoreError):
            note_named(self.ledger, self.key, self.own.partial().name)

    def damage(self, progress: Progress) -> list[Damage]:
        """What is wrong with the index of the embedder in use; with the one that serves, while that is made."""
        if found := self.own.files_damage():
            return found
        if not self.is_open and self.own.partial().place() is not None:
            self.open()
        return self.now.damage(progress)

    def drop(self) -> None:
        """Remove what is damaged; a table that is being made is not."""
        if self.is_open or self.own.files_damage():
            self.close()
            drop_all_but(self.own.index.uri, ())
            self.own.checksums.clear()

    def close(self) -> None:
        for each in (self.own, *(projection for projection, _ in self.before)):
            each.index.close()

    def _tidy(self) -> None:
        """Remove the tables that nobody wants any more, and nobody knows."""
        drop_all_but(self.own.index.uri, {self.own.partial().name, *wanted_tables(self.ledger)})

    def _is_ahead(self, projection: Projection) -> bool:
        if is_ahead := projection.index.progress() > self.ledger.last_change():
            _log.warning("The index is ahead of the ledger, which was restored perhaps. It is rebuilt.")
        return is_ahead
