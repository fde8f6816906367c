"""The store as a whole: ledger, memory, journal, index and the indexer between them."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.clock import Clock, utc_now
from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.upkeep import Damage, Progress, Verification
from memory_store.index import Index
from memory_store.indexer import Indexer
from memory_store.journal import LedgerJournal
from memory_store.key_work import LedgerKeyWork
from memory_store.ledger import Ledger
from memory_store.lookup import Readings
from memory_store.memory import LedgerMemory
from memory_store.object_store import require_safe
from memory_store.verifying import count_entries, damage_in


@dataclass(frozen=True, slots=True)
class Store:
    """The parts of one store. The ledger is open; the index opens when `start` or `indexer.catch_up` is called."""

    ledger: Ledger
    memory: LedgerMemory
    journal: LedgerJournal
    key_work: LedgerKeyWork
    index: Index
    indexer: Indexer

    def start(self) -> None:
        """Open the index and keep it up to date, in the background."""
        self.indexer.start()

    def verify(self, progress: Progress) -> Verification:
        """Check everything that is kept, and make the index anew where it is not what the ledger says."""
        entries = count_entries(self.ledger)
        damage = tuple(damage_in(self.ledger, progress))
        try:
            found, is_right = self.indexer.verify(progress)
        except StoreError as error:
            found, is_right = [Damage("index", "", str(error))], False
        return Verification(entries, damage, tuple(found), is_right)

    def close(self) -> None:
        """End the background work and close the files."""
        self.indexer.close()
        self.ledger.close()


def open_store(
    ledger_url: str, index_uri: str, embedder: Embedder | None, readings: Readings, clock: Clock = utc_now
) -> Store:
    """Open a store, and make or migrate its ledger where needed.

    Args:
        ledger_url: `sqlite:///path/to/file` or `postgresql+psycopg://…`.
        index_uri: a folder, or an object store such as `s3://bucket/folder`.
        embedder: writes the vectors of the index. It may load its model when first asked, in the background.
        readings: how texts are made comparable.
        clock: says when something was saved.

    Raises:
        StoreError: the ledger cannot be opened, or the index would lie in an object store that loses rows. Other
            trouble with the index or the embedder raises nothing here.
    """
    require_safe(index_uri)
    ledger = Ledger(ledger_url, clock)
    index = Index(index_uri)
    indexer = Indexer(ledger, index, embedder, readings)
    memory = LedgerMemory(ledger, readings, changed=indexer.wake, erased=indexer.settle)
    return Store(ledger, memory, LedgerJournal(ledger), LedgerKeyWork(ledger, changed=indexer.wake), index, indexer)
