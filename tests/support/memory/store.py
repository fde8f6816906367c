"""A small embedder, helpers and process targets for tests of the store."""

import hashlib
import itertools
import secrets
import sqlite3
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from multiprocessing.synchronize import Barrier
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy
from numpy.typing import NDArray
from sqlalchemy import update

from assistant.kinds import CLARIFICATION, EXAMPLE, Clarification, Example
from assistant.ports import Embedder
from assistant.reports.upkeep import Imported
from assistant.types import Candidate, Key, NewEntry, Question, Scope
from memory_store.ledger.access import is_readable
from memory_store.ledger.database.engines import file_of
from memory_store.ledger.database.schema import PRIVATE, SHARED, EventKind, entries
from memory_store.ledger.entries import ACTIVE, read_entries
from memory_store.ledger.indexed_keys import IndexedKey, indexed_keys
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import compute_checksum
from memory_store.maintenance.erasure import Eraser
from memory_store.memory.memory import LedgerMemory
from memory_store.retrieval.retriever import IndexRetriever
from memory_store.store import Store
from memory_store.store import open_store as open_and_leave
from memory_store.vectors.rows import owner_of

ANN = Scope("ann")
BOB = Scope("bob' OR 1=1 --")
_open: list[Store] = []


@cache
def _create_template() -> tuple[TemporaryDirectory[str], Path]:
    """Create an empty ledger once, since this takes most of the time of a small test."""
    folder = TemporaryDirectory(prefix="noted-ledger-")
    Ledger(ledger_url(Path(folder.name))).close()
    return folder, Path(folder.name) / "ledger.db"


def create_ledger(url: str) -> str:
    """Create an empty ledger at the URL, unless it exists, with its own id and secret; return the URL."""
    path = file_of(url)
    if path is not None and path.parent.is_dir() and not path.exists():
        copy = path.with_name(f"{uuid.uuid4()}.new")
        copy.touch(0o600)
        copy.write_bytes(_create_template()[1].read_bytes())
        with closing(sqlite3.connect(copy)) as new, new:
            new.execute("PRAGMA synchronous = OFF")
            facts = ((str(uuid.uuid4()), "id"), (secrets.token_hex(32), "secret"))
            new.executemany("UPDATE meta SET value = ? WHERE name = ?", facts)
        with suppress(FileExistsError):  # another process may do the same
            path.hardlink_to(copy)
        copy.unlink()
    return url


def open_store(ledger_url: str, *args: Any, **named: Any) -> Store:
    """Open a store that is closed after the test at the latest."""
    _open.append(open_and_leave(create_ledger(ledger_url), *args, **named))
    return _open[-1]


@contextmanager
def closing_stores() -> Iterator[None]:
    """Close the stores opened in the block; closing one twice is allowed."""
    before = len(_open)
    yield
    while len(_open) > before:
        _open.pop().close()


class LetterPairEmbedder:
    """An embedder that counts pairs of letters, hashed into 16 numbers. It can be made to fail."""

    name = "letter pairs"
    fingerprint = "letter-pairs-16"
    dimension = 16

    def __init__(self) -> None:
        self.is_down = False

    @classmethod
    def down(cls) -> Self:
        """Return one that fails from the start."""
        made = cls()
        made.is_down = True
        return made

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        if self.is_down:
            raise RuntimeError("The embedder is down.")
        vectors = numpy.zeros((len(texts), self.dimension), dtype=numpy.float32)
        for row, text in enumerate(texts):
            for pair in itertools.pairwise(text):
                vectors[row, zlib.crc32("".join(pair).encode("utf-8", "replace")) % self.dimension] += 1
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / numpy.where(lengths == 0, 1, lengths)).astype(numpy.float32, copy=False)


def run_import(
    importing: Callable[[Iterable[bytes], Scope], Iterator[Imported]], lines: Iterable[bytes], person: Scope
) -> Imported:
    """Run an import to its end and return the result."""
    *_, done = importing(lines, person)
    return done


def clarification(
    question: str, text: str = "I meant a synonym", key: str = "", further: Sequence[Key] = (), wrong: str = ""
) -> NewEntry:
    body = Clarification(text=text, wrong_understanding=wrong)
    return NewEntry(CLARIFICATION, question, body, key or f"key of {question}", further_keys=tuple(further))


def example(question: str, understanding: str = "u", answer: str = "a", key: str = "", turn: str = "") -> NewEntry:
    body = Example(understanding=understanding, answer=answer)
    return NewEntry(EXAMPLE, question, body, key or f"example {question}", turn)


def unrelated_clarification(name: str) -> NewEntry:
    """Return a clarification unrelated to all others, so that none supersedes another."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return clarification(digest[:16], digest[16:], key=name)


def read_keys(store: Store, person: Scope) -> list[IndexedKey]:
    """Return all texts of active entries that a user may read, from the ledger."""
    with store.ledger.read() as connection:
        found = read_entries(connection, is_readable(person), ACTIVE)
    return [key for entry in found for key in indexed_keys(entry)]


def read_index(store: Store, person: Scope) -> dict[str, str]:
    """Return the words of each row of the index that a user may read, by key id."""
    may_read = {(PRIVATE, person.person), (SHARED, "")}
    with store.index._open_table() as table:
        rows = [row for row in table.search().to_list() if row["scope"] != "state"]
    return {row["key_id"]: row["words"] for row in rows if owner_of(row) in may_read}


def read_indexed_ids(store: Store, person: Scope) -> set[str]:
    """Return the ids of the entries that a user may read and that have a row in the index."""
    return {key_id.split("/")[0] for key_id in read_index(store, person)}


def search_index(store: Store, question: str, person: Scope = ANN) -> set[str]:
    """Return the ids of the entries that the index finds for a question."""
    return set(store.index.search(LetterPairEmbedder().encode([question])[0], person))


def build_retriever(
    store: Store, embedder: Embedder | None = None, seconds: float = 60
) -> Callable[[str, Scope], Sequence[Candidate]]:
    """Return a retriever for question texts that waits `seconds` for the index."""
    recall = IndexRetriever(store.index, store.memory, embedder, lambda: store.indexer.wait_until_current(seconds))
    return lambda text, scope: recall(Question(text), scope)


def assert_same_keys(store: Store, *people: Scope) -> None:
    """Assert that the index equals the ledger for each user."""
    for person in people:
        expected = read_keys(store, person)
        assert read_index(store, person) == {key.key_id: key.words for key in expected}


def ledger_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'ledger.db'}"


def execute(file: Path, statement: str, bound: Mapping[str, object] | Sequence[object] = ()) -> list[tuple[int, ...]]:
    """Execute a statement directly in the file of a ledger, and return its rows."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        return connection.execute(statement, bound).fetchall()


def ledger_memory(ledger: Ledger) -> LedgerMemory:
    erasing = Eraser(ledger)
    return LedgerMemory(ledger, erasing.taken_along, erasing.forget, erasing.forget_all)


def small_store(folder: Path, embedder: LetterPairEmbedder | None = None) -> Store:
    return open_store(ledger_url(folder), str(folder / "index"), embedder)


def open_home_store(folder: Path, embedder: LetterPairEmbedder | None = None) -> Store:
    """Open the store of a data directory, with its file of tombstones."""
    by, erasures = embedder or LetterPairEmbedder(), folder / "erasures.jsonl"
    return open_store(ledger_url(folder), str(folder / "index"), by, erasures)


def share(store: Store, entry_id: str) -> None:
    """Set the scope of an entry to shared without a copy, for tests of scopes only."""
    with store.ledger.write() as connection:
        row = dict(connection.execute(entries.select().where(entries.c.id == entry_id)).mappings().one())
        row["scope"] = SHARED
        seal = compute_checksum(row)
        connection.execute(update(entries).where(entries.c.id == entry_id).values(scope=SHARED, checksum=seal))
        store.ledger.append(connection, EventKind.SAVED, [(entry_id, None)], row["owner"])


def save_the_same(folder: Path, number: int, ready: Barrier) -> None:
    """Save `number` drafts, the same in every process; in a process of its own."""
    store = small_store(folder)
    ready.wait(timeout=60)
    for place in range(number):
        store.memory.remember(clarification(f"question {place}"), ANN)
    store.close()
