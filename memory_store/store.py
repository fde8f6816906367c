"""The store as a whole: ledger, memory, journal, index and the indexer between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.clock import Clock, utc_now
from assistant.ports import Embedder
from assistant.types import Scope
from assistant.upkeep import Progress, Verification
from memory_store.backup import Backup, write_backup
from memory_store.erasing import Erasing
from memory_store.exporting import export
from memory_store.importing import Importing
from memory_store.index import Index
from memory_store.indexer import Indexer
from memory_store.journal import LedgerJournal
from memory_store.key_work import LedgerKeyWork
from memory_store.ledger import Ledger
from memory_store.lookup import Readings
from memory_store.memory import LedgerMemory
from memory_store.tombstones import Tombstones
from memory_store.verifying import verify


@dataclass(frozen=True, slots=True)
class Store:
    """The parts of one store. The ledger is open; the index opens when `start` or `indexer.catch_up` is called."""

    ledger: Ledger
    memory: LedgerMemory
    journal: LedgerJournal
    key_work: LedgerKeyWork
    index: Index
    indexer: Indexer
    embedder_name: str

    def export(self, scope: Scope) -> Iterator[str]:
        """The lines of an export of everything of a person; see `memory_store.exporting`."""
        return export(self.ledger, scope, self.embedder_name)

    def importing(self, longest_question: int, longest_text: int) -> Importing:
        """What takes such lines in."""
        return Importing(self.ledger, self.indexer.wake, longest_question, longest_text)

    def backup(self, file: Path) -> Backup:
        """Write a backup; see `memory_store.backup`."""
        return write_backup(self.ledger, file)

    def start(self) -> None:
        """Open the index and keep it up to date, in the background."""
        self.indexer.start()

    def verify(self, progress: Progress) -> Verification:
        """Check everything that is kept.

        Raises:
            StoreError: the ledger cannot be read.
        """
        return verify(self.ledger, progress)

    def close(self) -> None:
        """End the background work and close the files."""
        self.indexer.close()
        self.ledger.close()


def open_store(
    ledger_url: str,
    index_uri: str,
    embedder: Embedder | None,
    readings: Readings,
    tombstones: Path | None = None,
    clock: Clock = utc_now,
) -> Store:
    """Open a store, and make or migrate its ledger where needed.

    Args:
        ledger_url: `sqlite:///path/to/file` or `postgresql+psycopg://…`.
        index_uri: a folder, or an object store such as `s3://bucket/folder`.
        embedder: writes the vectors of the index. It may load its model when first asked, in the background.
        readings: how texts are made comparable.
        tombstones: file in which erasures are written down; those that the ledger does not know are carried out now.
        clock: says when something was saved.

    Raises:
        StoreError: the ledger cannot be opened. Trouble with the index or the embedder raises nothing here.
    """
    ledger = Ledger(ledger_url, clock)
    index = Index(index_uri)
    indexer = Indexer(ledger, index, embedder, readings)
    erasing = Erasing(ledger, Tombstones(tombstones), indexer.swept)
    erasing.resume()
    memory = LedgerMemory(ledger, readings, changed=indexer.wake, erasing=erasing)
    key_work = LedgerKeyWork(ledger, changed=indexer.wake)
    return Store(ledger, memory, LedgerJournal(ledger), key_work, index, indexer, embedder.name if embedder else "none")
