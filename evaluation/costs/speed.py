"""How long recall and gate take with more and more keys, against embedding the question alone.

Each question is embedded alone, recalled and decided one after the other, so that what else the machine does touches
all alike.

Vectors of the keys are made cheaply, a little way off the real vectors of some thousand questions: embedding a million
texts would take an hour, and only the time of searching counts. What is found by meaning in such a store is of no
interest; the question that is asked is embedded as always.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

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
from memory_store.recall.recall import HybridRecall
from memory_store.store import open_store
from ui.server.services import Services

ASKER = Scope("asker")
KEYS_PER_ENTRY = 8  # a question, what rules make of it, and what a model writes
_PER_COMMIT = 32_000  # keys
_CENTRES = 2_000
_NOISE = 0.5  # length of what is added to a vector of length 1
_SAVES = 30
_WARM_UP = 5  # questions that are not counted: what is loaded once is not what a question takes


@dataclass(frozen=True, slots=True)
class Speed:
    """One store, measured."""

    keys: int
    fill_seconds: float  # for ledger and index
    first_ms: float  # the first recall, which loads what is loaded once
    embedding: Spread | None  # of the question alone; None without an embedder
    recall: Spread  # with embedding
    gate: Spread
    total: Spread  # recall and gate
    ratio: float | None  # p50 of the total by that of the embedding alone
    cpu_ratio: float | None  # the same of processor time, which says more while other programs use the machine
    after_save_cpu: Spread  # processor of the first question after a save, once what was saved is in the index
    after_save_ratio: float  # its p50 by that of a steady question


def measure_all(sizes: Sequence[int], asked: int, seed: int) -> Iterator[Speed]:
    """Every number of keys, the smallest first, each in a store of its own."""
    for number in sorted(sizes):
        with TemporaryDirectory(prefix="noted-speed-", ignore_cleanup_errors=True) as folder:
            yield measure(number, Path(folder), asked, seed)


def measure(number: int, folder: Path, asked: int, seed: int) -> Speed:
    """Fill a store in this folder with so many keys, and ask."""
    settings = settings_in(folder)
    choice = choose_embedder(settings.embedder)
    embedder = SentenceEmbedder(choice) if choice.dimension else None
    _, filling, _ = clocked(partial(fill, settings, number, embedder, seed))
    with closing(compose(settings)) as services:
        return _measured(number, services, list(islice(questions(seed + 1), asked + _SAVES)), filling / 1000)


def _measured(number: int, services: Services, asked: Sequence[str], fill_seconds: float) -> Speed:
    parts = services.parts
    encode = parts.embedder.encode if parts.embedder is not None else lambda _: None
    encode(["ready?"])
    _, first, _ = clocked(partial(parts.recall, Question("ready?"), ASKER))
    for question in asked[:_WARM_UP]:
        parts.choose(parts.recall(Question(question), ASKER), ASKER)
    rows = []
    for question in with_progress(asked[:-_SAVES], f"{number:,} keys"):
        _, alone, alone_cpu = clocked(partial(encode, [question]))
        candidates, recalled, recalled_cpu = clocked(partial(parts.recall, Question(question), ASKER))
        _, decided, decided_cpu = clocked(partial(parts.choose, candidates, ASKER))
        rows.append((alone, alone_cpu, recalled, decided, recalled + decided, recalled_cpu + decided_cpu))
    embedding, embedding_cpu, recall, gate, total, total_cpu = (spread(column) for column in zip(*rows, strict=True))
    is_embedded = parts.embedder is not None
    after_save = spread([_after_a_save(services, question) for question in asked[-_SAVES:]])
    return Speed(
        number,
        fill_seconds=fill_seconds,
        first_ms=first,
        embedding=embedding if is_embedded else None,
        recall=recall,
        gate=gate,
        total=total,
        ratio=total.p50 / embedding.p50 if is_embedded else None,
        cpu_ratio=total_cpu.p50 / embedding_cpu.p50 if is_embedded else None,
        after_save_cpu=after_save,
        after_save_ratio=after_save.p50 / total_cpu.p50,
    )


def _after_a_save(services: Services, question: str) -> float:
    """Milliseconds of processor that a question takes, asked when something was just saved and indexed."""
    services.assistant.remember(f"what is meant by {question}", "something else", ASKER)
    cast("HybridRecall", services.parts.recall).wait_until_current()
    recall, choose = services.parts.recall, services.parts.choose
    return clocked(lambda: choose(recall(Question(question), ASKER), ASKER))[2]


def as_json(measured: Sequence[Speed], asked: int, seed: int) -> dict[str, Any]:
    return {"questions": asked, "seed": seed, "machine": machine(), "runs": [asdict(one) for one in measured]}


def show(measured: Sequence[Speed]) -> None:
    """Print a table, milliseconds as p50 / p95."""
    rows: dict[str, Callable[[Speed], object]] = {
        "ratio of recall and gate to embedding alone": lambda one: one.ratio and f"{one.ratio:.2f}",
        "the same, of processor time": lambda one: one.cpu_ratio and f"{one.cpu_ratio:.2f}",
        "embedding the question alone, ms": lambda one: one.embedding,
        "recall, embedding included, ms": lambda one: one.recall,
        "gate, ms": lambda one: one.gate,
        "first question after a save by a steady one, of processor time": lambda one: f"{one.after_save_ratio:.2f}",
        "first recall, ms": lambda one: f"{one.first_ms:,.0f}",
        "filling, s": lambda one: f"{one.fill_seconds:,.0f}",
    }
    print_columns("keys", {f"{one.keys:,}": one for one in measured}, rows)


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


def fill(settings: Settings, number: int, embedder: Embedder | None, seed: int) -> None:
    """Make the store of these settings, with so many keys of the asker's, and its index."""
    texts = questions(seed)
    reader = for_memory(embedder)
    cheap = None if reader is None else CheapVectors(reader, list(islice(questions(seed - 1), _CENTRES)))
    with closing(open_store(settings.ledger, settings.index, cheap, READINGS)) as store:
        for start in range(0, number, _PER_COMMIT):
            places = range(start, min(start + _PER_COMMIT, number), KEYS_PER_ENTRY)
            drafts = [_draft(list(islice(texts, min(KEYS_PER_ENTRY, number - place))), place) for place in places]
            store.memory.remember_all(drafts, ASKER)
        store.indexer.rebuild()


def _draft(found_under: Sequence[str], number: int) -> Draft:
    # A number keeps the keys of an entry apart where two texts happen to be the same.
    question, *others = (
        f"{text} {place}" if text in found_under[:place] else text for place, text in enumerate(found_under)
    )
    further = tuple(Key(text, KeyOrigin.MODEL) for text in others)
    # No question is asked twice and nothing said twice, or the memory would make one entry of two.
    said = hashlib.sha256(str(number).encode()).hexdigest()[:16]
    body = Clarification(text=f"I meant {said}")
    return Draft(CLARIFICATION, f"{question} {number}", body, str(number), further_keys=further)
