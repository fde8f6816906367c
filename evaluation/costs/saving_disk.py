"""How much room entries take on the disk, against what they say.

Counted as what they say: every value of every column of the tables `entries`, `keys` and `events`, a text as its bytes
in UTF-8, a number as 8, nothing as none; and each vector of the index, 4 bytes for each of its dimensions. Whatever is
made of these (indexes, folded texts, digests, what the index repeats of the ledger, earlier versions, logs) is not
what they say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

from assistant.limits import DEFAULT_LIMITS
from assistant.types import Scope
from evaluation.costs.synthetic import clarifications
from evaluation.decisions.running import with_progress
from evaluation.decisions.table import plain_table, wide_console
from evaluation.store_filling import draft_of, settings_in
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder, for_memory
from memory_store.language.templates.templates import masked_key
from memory_store.language.word_translation import READINGS
from memory_store.ledger.database.schema import entries, events, keys, written_json
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store, open_store

AT_REST = 110.0
"""Seconds after the last save until the app has nothing more to do of its own accord."""
BAR = 3.0
"""What the files may take by what the rows say."""
_PERSON = Scope("person")
_TOGETHER = 10  # saves before the index is waited for, as by a question
_SECONDS = 600.0
_NUMBER = 8  # bytes
_MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes after so many saves."""

    saves: int
    texts: int  # what the rows say
    vectors: int  # what the vectors say
    ledger: int  # the ledger's files
    index: Mapping[str, int]  # the index's files, by what they are to LanceDB
    most: int  # all files together, when they were largest

    @property
    def files(self) -> int:
        return self.ledger + sum(self.index.values())

    @property
    def ratio(self) -> float:
        return self.files / (self.texts + self.vectors)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"files": self.files, "ratio": self.ratio}


def measure(saves: int, seed: int) -> Disk:
    """Save so many clarifications of one person, with the index behind them, and look at the files."""
    with TemporaryDirectory(prefix="noted-evaluation-", ignore_cleanup_errors=True) as folder:
        settings = settings_in(Path(folder))
        choice = choose_embedder(settings.embedder)
        embedder = SentenceEmbedder(choice) if choice.dimension else None
        store = open_store(settings.ledger, settings.index, for_memory(embedder), READINGS)
        try:
            store.start()
            most = max(_save(store, saves, seed, Path(folder)))
            sleep(AT_REST)
            ledger, index = ledger_bytes(Path(folder)), index_bytes(Path(folder))
            texts, vectors = text_bytes(store.ledger), vector_bytes(store)
        finally:
            store.close()
    return Disk(saves, texts, vectors, ledger, index, max(most, ledger + sum(index.values())))


def _save(store: Store, saves: int, seed: int, folder: Path) -> Iterator[int]:
    """Save, and say now and then how large all files are."""
    made_up = list(islice(clarifications(seed, _PERSON.person), saves))
    for number, corrected in enumerate(with_progress(made_up, "Saving"), start=1):
        store.memory.remember(draft_of(corrected, number, masked_key, DEFAULT_LIMITS), _PERSON)
        if number % _TOGETHER == 0 or number == saves:
            store.indexer.wait_until_current(_SECONDS)
            yield ledger_bytes(folder) + sum(index_bytes(folder).values())


def text_bytes(ledger: Ledger) -> int:
    with ledger.read() as connection:
        return sum(
            _said(value)
            for table in (entries, keys, events)
            for row in connection.execute(table.select())
            for value in row
        )


def vector_bytes(store: Store) -> int:
    return sum(row["vector"].nbytes for row in store.index.rows() if "vector" in row)


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
    text = written_json(value) if isinstance(value, dict) else value
    return len(text.encode()) if isinstance(text, str) else _NUMBER


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:  # removed just now
        return 0


def show_disk(disk: Disk) -> None:
    """Print bytes."""
    table = plain_table(f"disk after {disk.saves:,} saves", "MB")
    table.add_row("what the rows say", _megabytes(disk.texts + disk.vectors))
    table.add_row("  texts and numbers", _megabytes(disk.texts))
    table.add_row("  vectors", _megabytes(disk.vectors))
    table.add_row("all files", _megabytes(disk.files))
    table.add_row("  ledger", _megabytes(disk.ledger))
    for name, size in disk.index.items():
        table.add_row(f"  index: {name}", _megabytes(size))
    table.add_row(f"ratio of the files to what the rows say (bar {BAR:.0f})", f"{disk.ratio:.2f}")
    table.add_row("all files when they were largest", _megabytes(disk.most))
    wide_console().print(table)


def _megabytes(size: int) -> str:
    return f"{size / _MEGABYTE:,.2f}"
