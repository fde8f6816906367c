"""How long recall and gate take with more and more keys, against embedding the question alone.

Each question is embedded alone, recalled and decided one after the other, so that what else the machine does touches
all alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app import compose
from assistant.types import Question
from evaluation.costs.speed_filling import ASKER, Layout, all_own, among_others, fill
from evaluation.costs.synthetic import questions
from evaluation.costs.timing import Spread, clocked, machine, print_columns, spread
from evaluation.decisions.running import with_progress
from evaluation.store_filling import settings_in
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from ui.server.services import Parts

_WARM_UP = 5  # questions that are not counted: what is loaded once is not what a question takes


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
    """Both layouts with every number of keys, the small ones first, each in a store of its own.

    Raises:
        NotedError: a store cannot be filled or opened.
    """
    for number in sorted(sizes):
        for layout in (all_own(number), among_others(number)):
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
