"""Open a store: ledger, memory, turn store, index and indexer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import StoreError
from assistant.kinds import KINDS, Kinds
from assistant.limits import Limits
from assistant.ports import Embedder
from assistant.reports.upkeep import Backup, Damage, Imported, Progress, Verification
from assistant.sentences import Sentence
from assistant.settings import Settings
from assistant.sharing import SharingRules
from assistant.types import Clock, Scope, utc_now
from memory_store.embedding.embedder_setup import EmbedderSetup, MemoryEmbedder
from memory_store.ledger.files import Tombstones
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.tokens import LedgerTokens
from memory_store.maintenance.backup import check_ledger, remove_leftovers, write_backup
from memory_store.maintenance.erasure import Eraser, Retention
from memory_store.memory.memory import LedgerKeyWork, LedgerMemory
from memory_store.retrieval.retriever import IndexRetriever
from memory_store.sharing.sharing import LedgerSharing
from memory_store.sheet.sheet import LedgerFactSheet
from memory_store.transfer.export_format import export
from memory_store.transfer.importing import import_lines, load_seed
from memory_store.turns.turn_store import LedgerConversations, LedgerTurnStore
from memory_store.vectors.index import VectorIndex
from memory_store.vectors.indexer import Indexer
from memory_store.vectors.object_store import require_safe


@dataclass(frozen=True, slots=True)
class Store:
    """The parts of one store. The ledger is open; the index opens when `start` or `indexer.catch_up` is called."""

    ledger: Ledger
    memory: LedgerMemory
    turn_store: LedgerTurnStore
    conversations: LedgerConversations
    key_work: LedgerKeyWork
    tokens: LedgerTokens
    sheet: LedgerFactSheet
    index: VectorIndex
    indexer: Indexer
    recall: IndexRetriever
    embedder_name: str
    retention: Retention
    most_entries: int | None  # of one user

    def export(self, scope: Scope) -> Iterator[str]:
        """Yield the lines of an export of everything a user has."""
        return export(self.ledger, scope, self.embedder_name)

    def take_in(self, lines: Iterable[bytes], scope: Scope) -> Iterator[Imported]:
        """Import such lines, up to the limit of entries."""
        return import_lines(self.ledger, self.indexer.wake, self.most_entries, lines, scope)

    def backup(self, file: Path) -> Backup:
        return write_backup(self.ledger, file)

    def start(self) -> None:
        """Start the indexer and the deletion of old turns, in background threads."""
        self.indexer.start()
        self.retention.start()

    def sharing(self, rules: SharingRules) -> LedgerSharing:
        return LedgerSharing(self.ledger, rules, changed=self.indexer.wake)

    def embedder_note(self, why: Sentence) -> Sentence:
        """Return `why` an embedder is in use; during a rebuild of its index, with the progress."""
        far = self.indexer.progress()
        if far is None:
            return why
        named: dict[str, str | float | Sentence] = {"model": self.embedder_name, "read": far[0], "of": far[1]}
        return Sentence("embedder.reading_anew", named | {"used": why})

    def verify(self, progress: Progress) -> Verification:
        """Check the ledger and the index; rebuild the index if it cannot be read."""
        entries, damage = check_ledger(self.ledger, progress)
        try:
            return Verification(entries, tuple(damage), tuple(self.indexer.verify(progress)))
        except StoreError as error:
            return Verification(entries, tuple(damage), (Damage("index", "", str(error)),), index_is_right=False)

    def close(self) -> None:
        self.retention.close()
        self.indexer.close()
        self.ledger.close()


def open_store(
    ledger_url: str,
    index_uri: str,
    embedder: Embedder | None,
    tombstones: Path | None = None,
    *,
    most_entries: int | None = None,
    keep_turns_days: int = 90,
    guests: tuple[str, float] | None = None,
    clock: Clock = utc_now,
    kinds: Kinds = KINDS,
) -> Store:
    """Open a store; create or migrate its ledger if needed. Addresses are as in `assistant.settings.Settings`.

    `tombstones` is the file that records erasures; erasures missing from the ledger are applied now. `guests` is the
    prefix of guests' user ids, and the hours after which everything of an inactive one is erased.

    Raises StoreError if the ledger cannot be opened, or the index is in an object store that loses rows.
    """
    require_safe(index_uri)
    ledger = Ledger(ledger_url, clock, Tombstones(tombstones), kinds)
    remove_leftovers(ledger_url)
    index = VectorIndex(index_uri)
    indexer = Indexer(ledger, index, embedder)
    erasing = Eraser(ledger, indexer.wait_until_purged)
    erasing.resume()
    memory = LedgerMemory(ledger, erasing.taken_along, erasing.forget, erasing.forget_all, indexer.wake, most_entries)
    recall = IndexRetriever(index, memory, embedder, indexer.wait_until_current)
    return Store(
        ledger=ledger,
        memory=memory,
        turn_store=LedgerTurnStore(ledger),
        conversations=LedgerConversations(ledger, erasing.forget_conversation),
        key_work=LedgerKeyWork(ledger, indexer.wake),
        tokens=LedgerTokens(ledger),
        sheet=LedgerFactSheet(ledger, memory, index, recall.vectors, indexer.wait_until_current),
        index=index,
        indexer=indexer,
        recall=recall,
        embedder_name=embedder.name if embedder else "none",
        retention=Retention(ledger, keep_turns_days, indexer.wake, guests),
        most_entries=most_entries,
    )


def open_home(settings: Settings, used: EmbedderSetup, visitors: str, limits: Limits, clock: Clock = utc_now) -> Store:
    """Open the store of a home folder, and load its seed.

    `visitors` is the prefix of guests' user ids. Raises SettingsError if a folder or file of the settings cannot be
    used, and StoreError as `open_store`.
    """
    settings.make_home()
    store = open_store(
        settings.ledger,
        settings.index,
        MemoryEmbedder(used.embedder) if used.embedder else None,
        settings.erasures,
        most_entries=limits.entries,
        keep_turns_days=settings.keep_turns_days,
        guests=(visitors, settings.visitor_hours) if settings.visitor_hours else None,
        clock=clock,
    )
    try:
        load_seed(store.ledger, settings.seed)
    except BaseException:
        store.ledger.close()
        raise
    return store
