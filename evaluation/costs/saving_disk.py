"""How much room entries take on the disk, against what they say.

Counted as what they say: every value of every column of the tables `entries`, `keys` and `events`, a text as its bytes
in UTF-8, a number as 8, nothing as none; and each vector of the index, 4 bytes for each of its dimensions. Whatever is
made of these (indexes, folded texts, digests, what the index repeats of the ledger, earlier versions, logs) is not
what they say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

from assistant.limits import DEFAULT_LIMITS
from assistant.types import Scope
from evaluation.clarifying import clarifications
from evaluation.running import with_progress
from evaluation.store_filling import draft_of, settings_in
from memory_store.embedder import SentenceEmbedder, choose_embedder
from memory_store.glossed import READINGS, for_memory
from memory_store.ledger import Ledger
from memory_store.rule_keys import rule_keys
from memory_store.schema import entries, events, keys
from memory_store.store import Store, open_store

AT_REST = 110.0
"""Seconds after the last save until the app has nothing more to do of its own accord."""
_PERSON = Scope("person")
_TOGETHER = 10  # saves before the index is waited for, as by a question
_SECONDS = 600.0
_NUMBER = 8  # bytes


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes after so many saves.

    Args:
        saves: how many.
        texts: what the rows say.
        vectors: what the vectors say.
        ledger: the ledger's files.
        index: the index's files, by what they are to LanceDB.
        most: all files together, when they were largest.
    """

    saves: int
    texts: int
    vectors: int
    ledger: int
    index: Mapping[str, int]
    most: int

    @property
    def files(self) -> int:
        return self.ledger + sum(self.index.values())

    @property
    def ratio(self) -> float:
        """All files by what the rows say."""
        return self.files / (self.texts + self.vectors)

    def as_json(self) -> dict[str, Any]:
        """All numbers."""
        return asdict(self) | {"files": self.files, "ratio": self.ratio}


def measure(saves: int, seed: int, at_rest: Callable[[], object] = lambda: sleep(AT_REST)) -> Disk:
    """Save so many clarifications of one person, with the index behind them, and look at the files.

    Args:
        saves: how many.
        seed: of what is saved.
        at_rest: waits until nothing is done any more.

    Raises:
        NotedError: the store cannot be opened, or an entry not be saved.
    """
    with TemporaryDirectory(prefix="noted-evaluation-", ignore_cleanup_errors=True) as folder:
        settings = settings_in(Path(folder))
        choice = choose_embedder(settings.embedder)
        embedder = SentenceEmbedder(choice) if choice.dimension else None
        store = open_store(settings.ledger, settings.index, for_memory(embedder), READINGS)
        try:
            store.start()
            most = max(_save(store, saves, seed, Path(folder)))
            at_rest()
            ledger, index = ledger_bytes(Path(folder)), index_bytes(Path(folder))
            texts, vectors = text_bytes(store.ledger), vector_bytes(store)
        finally:
            store.close()
    return Disk(saves, texts, vectors, ledger, index, max(most, ledger + sum(index.values())))


def _save(store: Store, saves: int, seed: int, folder: Path) -> Iterator[int]:
    """Save, and say now and then how large all files are."""
    made_up = list(islice(clarifications(seed, _PERSON.person), saves))
    for number, corrected in enumerate(with_progress(made_up, "Saving"), start=1):
        store.memory.remember(draft_of(corrected, number, rule_keys, DEFAULT_LIMITS), _PERSON)
        if number % _TOGETHER == 0 or number == saves:
            store.indexer.fresh(_SECONDS)
            yield ledger_bytes(folder) + sum(index_bytes(folder).values())


def text_bytes(ledger: Ledger) -> int:
    """What the rows of a ledger say."""
    with ledger.read() as connection:
        return sum(
            _said(value)
            for table in (entries, keys, events)
            for row in connection.execute(table.select())
            for value in row
        )


def vector_bytes(store: Store) -> int:
    """What the vectors of an index say."""
    return sum(row.vector.nbytes for row in store.index.rows() if row.vector is not None)


def ledger_bytes(folder: Path) -> int:
    """The database, its log, and what SQLite keeps beside them."""
    return sum(_size(path) for path in folder.glob("ledger.sqlite3*"))


def index_bytes(folder: Path) -> dict[str, int]:
    """The files of the index, by the folder of the table in which they lie."""
    found: Counter[str] = Counter()
    for path in (folder / "index").rglob("*"):
        _, *inside = path.relative_to(folder / "index").parts
        found[inside[0].strip("_") if len(inside) > 1 else "beside"] += _size(path)
    return {name: size for name, size in sorted(found.items()) if size}


def _said(value: object) -> int:
    if value is None:
        return 0
    return len(value.encode()) if isinstance(value, str) else _NUMBER


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:  # removed just now
        return 0
