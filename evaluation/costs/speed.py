"""How long recall and gate take with more and more keys, against embedding the question alone.

Each question is embedded alone, recalled and decided one after the other, so that what else the machine does touches
all alike.

Vectors of the keys are made cheaply, a little way off the real vectors of some thousand questions: embedding a million
texts would take an hour, and only the time of searching counts. What is found by meaning in such a store is of no
interest; the question that is asked is embedded as always.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app import compose
from assistant.kinds import CLARIFICATION, Clarification
from assistant.ports import Embedder
from assistant.settings import Settings
from assistant.types import Draft, Key, KeyOrigin, Question, Scope
from evaluation.costs.synthetic import questions
from evaluation.costs.timing import Spread, clocked, machine, print_columns, spread
from evaluation.decisions.running import with_progress
from evaluation.store_filling import settings_in
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder, for_memory
from memory_store.language.word_translation import READINGS
from memory_store.ledger.database.schema import SHARED, entries, keys
from memory_store.ledger.rows import checksum
from memory_store.store import Store, open_store
from ui.server.services import Parts

ASKER = Scope("asker")
KEYS_PER_ENTRY = 8  # a question, what rules make of it, and what a model writes
_CURATOR = Scope("curator")
_PER_PERSON = 1_000
_PER_COMMIT = 4_000  # entries
_CENTRES = 2_000
_NOISE = 0.5  # length of what is added to a vector of length 1
_WARM_UP = 5  # questions that are not counted: what is loaded once is not what a question takes


@dataclass(frozen=True, slots=True)
class Layout:
    """Whose the keys are."""

    name: str
    own: int  # keys of the person who asks
    shared: int  # keys that everyone may read
    others: int  # keys of other people, a thousand each

    @property
    def keys(self) -> int:
        return self.own + self.shared + self.others


def among_others(number: int) -> Layout:
    """The asker has 1,000 keys, 1,000 are shared (fewer where there are fewer), and the rest is other people's."""
    few = min(_PER_PERSON, number // 2)
    return Layout("among others", few, few, number - 2 * few)


@dataclass(frozen=True, slots=True)
class Speed:
    """One store, measured."""

    layout: str  # whose the keys are
    keys: int  # how many there are
    readable: int  # how many of them the asker may read
    fill_seconds: float  # for ledger and index
    first_ms: float  # the first recall, which loads what is loaded once
    embedding: Spread | None  # of the question alone; None without an embedder
    recall: Spread  # with embedding
    gate: Spread
    total: Spread  # recall and gate
    ratio: float | None  # p50 of the total by that of the embedding alone
    cpu_ratio: float | None  # the same of processor time, which says more while other programs use the machine


def measure_all(sizes: Sequence[int], asked: int, seed: int) -> Iterator[Speed]:
    """Both layouts with every number of keys, the small ones first, each in a store of its own."""
    for number in sorted(sizes):
        for layout in (Layout("own", number, 0, 0), among_others(number)):
            with TemporaryDirectory(prefix="noted-speed-", ignore_cleanup_errors=True) as folder:
                yield measure(layout, Path(folder), asked, seed)


def measure(layout: Layout, folder: Path, asked: int, seed: int) -> Speed:
    """Fill a store in this folder, and ask."""
    settings = settings_in(folder)
    choice = choose_embedder(settings.embedder)
    embedder = SentenceEmbedder(choice) if choice.dimension else None
    _, filling, _ = clocked(partial(fill, settings, layout, embedder, seed))
    with closing(compose(settings)) as services:
        return _measured(layout, services.parts, list(islice(questions(seed + 1), asked)), filling / 1000)


def _measured(layout: Layout, parts: Parts, asked: Sequence[str], fill_seconds: float) -> Speed:
    encode = parts.embedder.encode if parts.embedder is not None else lambda _: None
    encode(["ready?"])
    _, first, _ = clocked(partial(parts.recall, Question("ready?"), ASKER))
    for question in asked[:_WARM_UP]:
        parts.choose(parts.recall(Question(question), ASKER), ASKER)
    rows = []
    for question in with_progress(asked, f"{layout.name}, {layout.keys:,} keys"):
        _, alone, alone_cpu = clocked(partial(encode, [question]))
        candidates, recalled, recalled_cpu = clocked(partial(parts.recall, Question(question), ASKER))
        _, decided, decided_cpu = clocked(partial(parts.choose, candidates, ASKER))
        rows.append((alone, alone_cpu, recalled, decided, recalled + decided, recalled_cpu + decided_cpu))
    embedding, embedding_cpu, recall, gate, total, total_cpu = (spread(column) for column in zip(*rows, strict=True))
    is_embedded = parts.embedder is not None
    return Speed(
        layout.name,
        layout.keys,
        readable=layout.own + layout.shared,
        fill_seconds=fill_seconds,
        first_ms=first,
        embedding=embedding if is_embedded else None,
        recall=recall,
        gate=gate,
        total=total,
        ratio=total.p50 / embedding.p50 if is_embedded else None,
        cpu_ratio=total_cpu.p50 / embedding_cpu.p50 if is_embedded else None,
    )


def as_json(measured: Sequence[Speed], asked: int, seed: int) -> dict[str, Any]:
    return {"questions": asked, "seed": seed, "machine": machine(), "runs": [asdict(one) for one in measured]}


def show(measured: Sequence[Speed]) -> None:
    """Print one table per layout, milliseconds as p50 / p95."""
    for layout in dict.fromkeys(one.layout for one in measured):
        columns = {f"{one.keys:,}": one for one in measured if one.layout == layout}
        rows: dict[str, Callable[[Speed], object]] = {
            "readable by the asker": lambda one: f"{one.readable:,}",
            "ratio of recall and gate to embedding alone": lambda one: one.ratio and f"{one.ratio:.2f}",
            "the same, of processor time": lambda one: one.cpu_ratio and f"{one.cpu_ratio:.2f}",
            "embedding the question alone, ms": lambda one: one.embedding,
            "recall, embedding included, ms": lambda one: one.recall,
            "gate, ms": lambda one: one.gate,
            "first recall, ms": lambda one: f"{one.first_ms:,.0f}",
            "filling, s": lambda one: f"{one.fill_seconds:,.0f}",
        }
        print_columns(f"keys: {layout}", columns, rows)


class CheapVectors:
    """An embedder in the place of a real one while the index is filled: quick, repeatable, vectors like real ones.

    The real one is asked for the vectors of `centres` only.
    """

    def __init__(self, embedder: Embedder, centres: Sequence[str]) -> None:
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension
        self._centres = embedder.encode(centres)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension); the same text in the same batch has the same vector."""
        hashes = [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]
        noise = np.random.default_rng(hashes).standard_normal((len(texts), self.dimension), dtype=np.float32)
        noise *= _NOISE / np.sqrt(self.dimension)
        vectors = self._centres[[number % len(self._centres) for number in hashes]] + noise
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def fill(settings: Settings, layout: Layout, embedder: Embedder | None, seed: int) -> None:
    """Make the store of these settings, with its index."""
    texts = questions(seed)
    reader = for_memory(embedder)
    cheap = None if reader is None else CheapVectors(reader, list(islice(questions(seed - 1), _CENTRES)))
    store = open_store(settings.ledger, settings.index, cheap, READINGS)
    try:
        _remember(store, layout.own, ASKER, texts)
        _share(store, _remember(store, layout.shared, _CURATOR, texts))
        for start in range(0, layout.others, _PER_PERSON):
            person = Scope(f"person {start // _PER_PERSON}")
            _remember(store, min(_PER_PERSON, layout.others - start), person, texts)
        store.indexer.rebuild()
    finally:
        store.close()


def _remember(store: Store, number: int, scope: Scope, texts: Iterator[str]) -> list[str]:
    """Save entries with so many keys in all; their ids."""
    saved: list[str] = []
    left = number
    while left:
        drafts: list[Draft] = []
        while left and len(drafts) < _PER_COMMIT:
            count = min(KEYS_PER_ENTRY, left)
            drafts.append(_draft(list(islice(texts, count)), scope, number - left))
            left -= count
        saved += [entry.id for entry in store.memory.remember_all(drafts, scope)]
    return saved


def _draft(found_under: Sequence[str], scope: Scope, number: int) -> Draft:
    # A number keeps the keys of an entry apart where two texts happen to be the same.
    question, *others = (
        f"{text} {place}" if text in found_under[:place] else text for place, text in enumerate(found_under)
    )
    further = tuple(Key(text, KeyOrigin.MODEL) for text in others)
    name = f"{scope.person} {number}"
    # No question is asked twice and nothing said twice, or the memory would make one entry of two.
    said = hashlib.sha256(name.encode()).hexdigest()[:16]
    body = Clarification(text=f"I meant {said}")
    return Draft(CLARIFICATION, f"{question} {number}", body, name, further_keys=further)


def _share(store: Store, ids: Sequence[str]) -> None:
    """What sharing does to the ledger; the index is built after it."""
    with store.ledger.write() as connection:
        for entry_id in ids:
            row = dict(connection.execute(entries.select().where(entries.c.id == entry_id)).mappings().one())
            key_rows = connection.execute(keys.select().where(keys.c.entry_id == entry_id).order_by(keys.c.position))
            row["scope"] = SHARED
            seal = checksum(row, key_rows.mappings().all())
            connection.execute(entries.update().where(entries.c.id == entry_id).values(scope=SHARED, checksum=seal))
