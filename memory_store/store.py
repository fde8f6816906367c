"""The store as a whole: ledger, memory, journal, index and the indexer between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.clock import Clock, utc_now
from assistant.conversation import Limits
from assistant.errors import StoreError
from assistant.ports import Embedder
from assistant.receipts import Backup
from assistant.sharing import SharingRules
from assistant.types import Scope
from assistant.upkeep import Damage, Progress, Verification
from memory_store.backup import write_backup
from memory_store.erasing import Erasing
from memory_store.exporting import export
from memory_store.importing import Importing
from memory_store.index import Index
from memory_store.indexer import Indexer
from memory_store.insights import LedgerInsights
from memory_store.journal import LedgerJournal
from memory_store.key_work import LedgerKeyWork
from memory_store.ledger import Ledger
from memory_store.lookup import Readings
from memory_store.memory import LedgerMemory
from memory_store.object_store import require_safe
from memory_store.retention import Retention
from memory_store.sharing import LedgerSharing
from memory_store.spending import LedgerSpending
from memory_store.tombstones import Tombstones
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
    embedder_name: str
    retention: Retention

    def export(self, scope: Scope) -> Iterator[str]:
        """The lines of an export of everything of a person; see `memory_store.exporting`."""
        return export(self.ledger, scope, self.embedder_name)

    def importing(self, limits: Limits) -> Importing:
        """What takes such lines in, with texts of these lengths at most."""
        return Importing(self.ledger, self.indexer.wake, limits.question, limits.clarification)

    def backup(self, file: Path) -> Backup:
        """Write a backup; see `memory_store.backup`."""
        return write_backup(self.ledger, file)

    def start(self) -> None:
        """Open the index and keep it up to date, and erase old turns, in the background."""
        self.indexer.start()
        self.retention.start()

    def sharing(self, rules: SharingRules) -> LedgerSharing:
        """What of it counts for everyone, under these rules."""
        return LedgerSharing(self.ledger, rules, changed=self.indexer.wake)

    def insights(self) -> LedgerInsights:
        """How well it goes, in numbers."""
        return LedgerInsights(self.ledger)

    def verify(self, progress: Progress) -> Verification:
        """Check everything that is kept, and make the index anew where it is not what the ledger says."""
        entries = count_entries(self.ledger)
        damage = tuple(damage_in(self.ledger, progress))
        try:
            found, is_right = self.indexer.verify(progress)
        except StoreError as error:
            found, is_right = [Damage("index", "", str(error))], False
        return Verification(entries, damage, tuple(found), is_right)

    def spending(self, per_day: float | None) -> LedgerSpending | None:
        """Counts what the model costs, in US dollars a day; None where it may cost anything."""
        return LedgerSpending(self.ledger, per_day) if per_day else None

    def close(self) -> None:
        """End the background work and close the files."""
        self.retention.close()
        self.indexer.close()
        self.ledger.close()


def open_store(
    ledger_url: str,
    index_uri: str,
    embedder: Embedder | None,
    readings: Readings,
    tombstones: Path | None = None,
    keep_turns_days: int = 90,
    clock: Clock = utc_now,
) -> Store:
    """Open a store, and make or migrate its ledger where needed.

    Args:
        ledger_url: `sqlite:///path/to/file` or `postgresql+psycopg://…`.
        index_uri: a folder, or an object store such as `s3://bucket/folder`.
        embedder: writes the vectors of the index. It may load its model when first asked, in the background.
        readings: how texts are made comparable.
        tombstones: file in which erasures are written down; those that the ledger does not know are carried out now.
        keep_turns_days: how long turns are kept.
        clock: says when something was saved.

    Raises:
        StoreError: the ledger cannot be opened, or the index would lie in an object store that loses rows. Other
            trouble with the index or the embedder raises nothing here.
    """
    require_safe(index_uri)
    ledger = Ledger(ledger_url, clock)
    index = Index(index_uri)
    indexer = Indexer(ledger, index, embedder, readings)
    erasing = Erasing(ledger, Tombstones(tombstones), indexer.swept)
    erasing.resume()
    memory = LedgerMemory(ledger, readings, changed=indexer.wake, erasing=erasing)
    key_work = LedgerKeyWork(ledger, changed=indexer.wake)
    return Store(
        ledger,
        memory,
        LedgerJournal(ledger),
        key_work,
        index,
        indexer,
        embedder.name if embedder else "none",
        Retention(ledger, keep_turns_days, indexer.wake),
    )
