"""What tests of the store need: a small embedder, and what spawned processes run."""

from __future__ import annotations

import hashlib
import itertools
import multiprocessing
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path

import numpy
from filelock import FileLock
from numpy.typing import NDArray
from sqlalchemy import update

from assistant.types import Draft, Key, Kind, Scope
from memory_store.checksum import checksum
from memory_store.index import Index
from memory_store.lookup import IndexedKey, Readings
from memory_store.schema import SHARED, EventKind, entries, keys
from memory_store.segment import Asked, known
from memory_store.store import Store, open_store

SPAWN = multiprocessing.get_context("spawn")
ANN = Scope("ann")
BOB = Scope("bob' OR 1=1 --")


class LetterPairs:
    """An embedder: how often each pair of letters stands in a text, hashed into 16 numbers. It can be made to fail."""

    name = "letter pairs"
    fingerprint = "letter-pairs-16"
    dimension = 16

    def __init__(self) -> None:
        self.is_down = False

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        if self.is_down:
            raise RuntimeError("The embedder is down.")
        vectors = numpy.zeros((len(texts), self.dimension), dtype=numpy.float32)
        for row, text in enumerate(texts):
            for pair in itertools.pairwise(text):
                vectors[row, zlib.crc32("".join(pair).encode("utf-8", "replace")) % self.dimension] += 1
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / numpy.where(lengths == 0, 1, lengths)


def fold(text: str) -> str:
    """A stand-in for `memory_store.surface.fold`: case and width only."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


PLAIN = Readings(fold, fold)
"""Readings that leave a text nearly as it is."""


def clarification(question: str, text: str = "I meant a synonym", key: str = "", further: Sequence[Key] = ()) -> Draft:
    return Draft(Kind.CLARIFICATION, question, text, key or f"key of {question}", further_keys=tuple(further))


def unlike(name: str) -> Draft:
    """A clarification that is kin to no other, so that none takes the place of another."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return clarification(digest[:16], digest[16:], key=name)


def asked(question: str, readings: Readings = PLAIN, embedder: LetterPairs | None = None) -> Asked:
    """A question, ready to be compared; without an embedder, without its meaning."""
    vector = None if embedder is None else embedder.encode([question])[0]
    return Asked.prepare(question, readings.fold(question), readings.english(question), known(vector))


def indexed(index: Index, person: Scope, question: Asked | None = None) -> list[IndexedKey]:
    """What a person gets from the index, for a question or for any."""
    return [row for segment in index.segments(question or asked("?"), person) for row in segment.rows]


def best(index: Index, question: Asked, entry_id: str) -> dict[str, float]:
    """How near the nearest row of an entry of Ann's is, by each similarity."""
    for segment in index.segments(question, ANN):
        if entry_id in segment.entry_ids:
            found, rows = segment.compare(question), segment.rows_of(segment.entry_ids.index(entry_id))
            return {name: float(getattr(found, name)[rows].max()) for name in ("meaning", "ngrams", "words")}
    return dict.fromkeys(("meaning", "ngrams", "words"), 0.0)


def ledger_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'ledger.db'}"


def small_store(folder: Path, embedder: LetterPairs | None = None) -> Store:
    return open_store(ledger_url(folder), str(folder / "index"), embedder, PLAIN)


def opened(folder: Path) -> Store:
    """The store in a data directory, with the file of its erasures."""
    return open_store(ledger_url(folder), str(folder / "index"), LetterPairs(), PLAIN, folder / "erasures.jsonl")


def share(store: Store, entry_id: str) -> None:
    """Let an entry count for everyone where it stands, for what looks at scopes only; a curator's yes makes a copy."""
    with store.ledger.write() as connection:
        row = dict(connection.execute(entries.select().where(entries.c.id == entry_id)).mappings().one())
        key_rows = connection.execute(keys.select().where(keys.c.entry_id == entry_id).order_by(keys.c.position))
        row["scope"] = SHARED
        seal = checksum(row, key_rows.mappings().all())
        connection.execute(update(entries).where(entries.c.id == entry_id).values(scope=SHARED, checksum=seal))
        store.ledger.append(connection, EventKind.SAVED, entry_id, row["owner"])


def save_and_index(folder: Path, question: str, text: str) -> None:
    """In a process of its own: save one clarification of Ann's, and bring the index up to date."""
    store = small_store(folder, LetterPairs())
    store.memory.remember(clarification(question, text), ANN)
    store.indexer.catch_up()
    store.close()


def hold_lock(path: Path, held: Event, release: Event) -> None:
    """In a process of its own: hold a file lock until `release`."""
    with FileLock(path):
        held.set()
        release.wait()


@contextmanager
def held_by_another_process(folder: Path) -> Iterator[None]:
    """The lock of a store's index is taken."""
    held, release = SPAWN.Event(), SPAWN.Event()
    process = SPAWN.Process(target=hold_lock, args=(folder / "index.lock", held, release))
    process.start()
    try:
        assert held.wait(60)
        yield
    finally:
        release.set()
        process.join()


def save_the_same(folder: Path, number: int, ready: Barrier) -> None:
    """In a process of its own: save `number` drafts, the same ones in every process."""
    store = small_store(folder)
    ready.wait(timeout=60)
    for place in range(number):
        store.memory.remember(clarification(f"question {place}"), ANN)
    store.close()
