"""The store as a whole: ledger, memory, journal, index and the indexer between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.clock import Clock, utc_now
from assistant.errors import StoreError
from assistant.limits import Limits
from assistant.ports import Embedder
from assistant.receipts import Backup
from assistant.sharing import SharingRules
from assistant.types import Scope
from assistant.upkeep import Damage, Progress, Verification
from memory_store.backup import remove_leftovers, write_backup
from memory_store.conversations import LedgerConversations
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
from memory_store.retention import Retention, nothing_else
from memory_store.sharing import LedgerSharing
from memory_store.snapshots import Snapshots, Snapshotting
from memory_store.spending import LedgerSpending
from memory_store.tokens import LedgerTokens
from memory_store.tombstones import Tombstones
from memory_store.verifying import count_entries, damage_in
from memory_store.visits import Visits


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long a store keeps what, and where else.

    Args:
        turns_days: how long turns are kept.
        visitors: what the id of everybody who does not sign in begins with.
        visitor_hours: how long everything of one is kept after the last thing they did; None for as long as the rest.
        snapshots: where copies of a SQLite ledger go.
        snapshot_minutes: how often, where something was saved.
    """

    turns_days: int = 90
    visitors: str = ""
    visitor_hours: float | None = None
    snapshots: Snapshots | None = None
    snapshot_minutes: float = 5.0


KEPT_HERE = Keeping()


@dataclass(frozen=True, slots=True)
class Store:
    """The parts of one store. The ledger is open; the index opens when `start` or `indexer.catch_up` is called."""

    ledger: Ledger
    memory: LedgerMemory
    journal: LedgerJournal
    conversations: LedgerConversations
    key_work: LedgerKeyWork
    tokens: LedgerTokens
    index: Index
    indexer: Indexer
    embedder_name: str
    retention: Retention
    snapshotting: Snapshotting | None = None

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
        if self.snapshotting:
            self.snapshotting.start()

    def sharing(self, rules: SharingRules) -> LedgerSharing:
        """What of it counts for everyone, under these rules."""
        return LedgerSharing(self.ledger, rules, changed=self.indexer.wake)

    def check(self) -> None:
        """Whether the ledger answers. Raises StoreError where it does not."""
        self.ledger.last_change()

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
        if self.snapshotting:
            self.snapshotting.close()
        self.ledger.close()


def open_store(
    ledger_url: str,
    index_uri: str,
    embedder: Embedder | None,
    readings: Readings,
    tombstones: Path | None = None,
    keeping: Keeping = KEPT_HERE,
    clock: Clock = utc_now,
) -> Store:
    """Open a store, and make or migrate its ledger where needed.

    Args:
        ledger_url: `sqlite:///path/to/file` or `postgresql+psycopg://…`.
        index_uri: a folder, or an object store such as `s3://bucket/folder`.
        embedder: writes the vectors of the index. It may load its model when first asked, in the background.
        readings: how texts are made comparable.
        tombstones: file in which erasures are written down; those that the ledger does not know are carried out now.
        keeping: how long, and where else.
        clock: says when something was saved.

    Raises:
        StoreError: the ledger cannot be opened, or the index would lie in an object store that loses rows. Other
            trouble with the index or the embedder raises nothing here.
    """
    require_safe(index_uri)
    snapshots = keeping.snapshots
    written = Tombstones(tombstones, snapshots.copy_tombstones) if snapshots else Tombstones(tombstones)
    ledger = Ledger(ledger_url, clock, written)
    remove_leftovers(ledger_url)
    index = Index(index_uri)
    indexer = Indexer(ledger, index, embedder, readings)
    Erasing(ledger).resume()
    snapshotting = Snapshotting(snapshots, ledger, keeping.snapshot_minutes) if snapshots else None

    def swept(erasure_id: str) -> bool:
        is_swept = indexer.swept(erasure_id)
        return (snapshotting is None or snapshotting.write()) and is_swept

    erasing = Erasing(ledger, swept)
    hours = keeping.visitor_hours
    # Nobody waits for these, so their bytes go in the background.
    visits = Visits(ledger, Erasing(ledger), keeping.visitors, hours, indexer.wake) if hours else None
    memory = LedgerMemory(ledger, readings, changed=indexer.wake, erasing=erasing)
    key_work = LedgerKeyWork(ledger, changed=indexer.wake)
    return Store(
        ledger,
        memory,
        LedgerJournal(ledger),
        LedgerConversations(ledger, readings.fold, erasing),
        key_work,
        LedgerTokens(ledger),
        index,
        indexer,
        embedder.name if embedder else "none",
        Retention(ledger, keeping.turns_days, indexer.wake, visits.look if visits else nothing_else),
        snapshotting,
    )
