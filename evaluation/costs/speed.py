"""How long recall and gate take with more and more keys, against embedding the question alone.

Each question is embedded alone, recalled and decided one after the other, so that what else the machine does touches
all alike.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from app import compose
from evaluation.costs.speed_filling import ASKER, Layout, all_own, among_others, fill
from evaluation.costs.synthetic import questions
from evaluation.decisions.metrics import percentile
from evaluation.decisions.running import with_progress
from evaluation.decisions.table import plain_table, wide_console
from evaluation.store_filling import settings_in
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from ui.server.services import Parts

_WARM_UP = 5  # questions that are not counted: what is loaded once is not what a question takes


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds."""

    p50: float
    p95: float


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
    began = perf_counter()
    fill(settings, layout, SentenceEmbedder(choice) if choice.dimension else None, seed)
    fill_seconds = perf_counter() - began
    with closing(compose(settings)) as services:
        return _measured(layout, services.parts, list(islice(questions(seed + 1), asked)), fill_seconds)


def _measured(layout: Layout, parts: Parts, asked: Sequence[str], fill_seconds: float) -> Speed:
    encode = parts.embedder.encode if parts.embedder is not None else None
    if encode:
        encode(["ready?"])
    began = perf_counter()
    parts.recall("ready?", ASKER)
    first = perf_counter() - began
    for question in asked[:_WARM_UP]:
        parts.choose(parts.recall(question, ASKER), ASKER)
    rows: list[dict[str, float]] = []
    cpus: list[list[float]] = []
    for question in with_progress(asked, f"{layout.name}, {layout.keys:,} keys"):
        times, cpu = [perf_counter()], [process_time()]
        if encode:
            encode([question])
        times.append(perf_counter())
        cpu.append(process_time())
        candidates = parts.recall(question, ASKER)
        times.append(perf_counter())
        parts.choose(candidates, ASKER)
        times.append(perf_counter())
        cpu.append(process_time())
        embedding, recalled, gate = ((after - before) * 1000 for before, after in pairwise(times))
        rows.append({"embedding": embedding, "recall": recalled, "gate": gate, "total": recalled + gate})
        cpus.append([after - before for before, after in pairwise(cpu)])
    spreads = {name: spread([row[name] for row in rows]) for name in rows[0]}
    alone = spreads.pop("embedding")
    cpu_alone, cpu_total = (spread(values).p50 for values in zip(*cpus, strict=True))
    return Speed(
        layout.name,
        layout.keys,
        readable=layout.own + layout.shared,
        fill_seconds=fill_seconds,
        first_ms=first * 1000,
        embedding=alone if encode else None,
        **spreads,
        ratio=spreads["total"].p50 / alone.p50 if encode else None,
        cpu_ratio=cpu_total / cpu_alone if encode else None,
    )


def as_json(measured: Sequence[Speed], asked: int, seed: int) -> dict[str, Any]:
    return {"questions": asked, "seed": seed, "machine": machine(), "runs": [asdict(one) for one in measured]}


def machine() -> dict[str, Any]:
    return {"cpus": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}


def spread(values: Sequence[float]) -> Spread:
    return Spread(percentile(values, 50) or 0.0, percentile(values, 95) or 0.0)


def show(measured: Sequence[Speed]) -> None:
    """Print one table per layout, milliseconds as p50 / p95."""
    console = wide_console()
    for layout in dict.fromkeys(one.layout for one in measured):
        some = [one for one in measured if one.layout == layout]
        table = plain_table(f"keys: {layout}", *(f"{one.keys:,}" for one in some))
        table.add_row("readable by the asker", *(f"{one.readable:,}" for one in some))
        table.add_row("ratio of recall and gate to embedding alone", *(_ratio(one.ratio) for one in some))
        table.add_row("the same, of processor time", *(_ratio(one.cpu_ratio) for one in some))
        table.add_row("embedding the question alone, ms", *(spread_text(one.embedding) for one in some))
        table.add_row("recall, embedding included, ms", *(spread_text(one.recall) for one in some))
        table.add_row("gate, ms", *(spread_text(one.gate) for one in some))
        table.add_row("first recall, ms", *(f"{one.first_ms:,.0f}" for one in some))
        table.add_row("filling, s", *(f"{one.fill_seconds:,.0f}" for one in some))
        console.print(table)


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def spread_text(spread: Spread | None) -> str:
    """Median and 95th percentile."""
    return "–" if spread is None else f"{spread.p50:.2f} / {spread.p95:.2f}"
