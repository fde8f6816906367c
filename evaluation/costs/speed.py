"""How long recall and gate take with more and more keys, against embedding the question alone.

Each question is embedded alone, recalled and decided one after the other, so that what else the machine does touches
all alike. The parts of recall are the calls that it makes on what it is made of, some of them at the same time; the
time in which none of them runs is `rest`.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from app import compose
from evaluation.metrics import percentile
from evaluation.running import with_progress
from evaluation.speed_filling import ASKER, Layout, all_own, among_others, bring_up_to_date, fill
from evaluation.stopwatch import Stopwatch
from evaluation.store_filling import settings_in
from evaluation.synthetic_questions import questions
from memory_store.embedder import SentenceEmbedder, choose_embedder
from ui.services import Parts

LAYOUTS = {"own": all_own, "among": among_others}
_WARM_UP = 5  # questions that are not counted: what is loaded once is not what a question takes
_FILLED = "filled"


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Speed:
    """One store, measured.

    Args:
        layout: whose the keys are.
        keys: how many there are.
        readable: how many of them the asker may read.
        fill_seconds: how long ledger and index took to fill; None where they were there.
        first_ms: the first recall, which loads what is loaded once.
        embedding: embedding the question alone; None without an embedder.
        recall: with embedding.
        gate: the decisions.
        total: recall and gate.
        ratio: p50 of the total by that of the embedding alone.
        cpu_ratio: the same of the time of all processors, which says more while other programs use them.
        parts: calls that recall makes, and `rest`.
    """

    layout: str
    keys: int
    readable: int
    fill_seconds: float | None
    first_ms: float
    embedding: Spread | None
    recall: Spread
    gate: Spread
    total: Spread
    ratio: float | None
    cpu_ratio: float | None
    parts: dict[str, Spread]


def measure_all(
    sizes: Sequence[int], layouts: Sequence[str], asked: int, seed: int, kept: Path | None
) -> Iterator[Speed]:
    """Every layout at every size, the small ones first.

    Args:
        sizes: numbers of keys.
        layouts: names in `LAYOUTS`.
        asked: how many questions.
        seed: of keys and questions.
        kept: folder in which filled stores stay and are found again; None for a temporary one.

    Raises:
        NotedError: a store cannot be filled or opened.
    """
    for number in sorted(sizes):
        for name in layouts:
            layout = LAYOUTS[name](number)
            if kept is not None:
                yield measure(layout, kept / f"{name}-{number}-{seed}", asked, seed)
                continue
            with TemporaryDirectory(prefix="noted-speed-", ignore_cleanup_errors=True) as folder:
                yield measure(layout, Path(folder), asked, seed)


def measure(layout: Layout, folder: Path, asked: int, seed: int) -> Speed:
    """Fill the store in this folder where it is not yet, and ask."""
    settings = settings_in(folder)
    choice = choose_embedder(settings.embedder)
    embedder = SentenceEmbedder(choice) if choice.dimension else None
    began = perf_counter()
    filled = (folder / _FILLED).exists()
    if filled:
        bring_up_to_date(settings, embedder, seed)
    else:
        fill(settings, layout, embedder, seed)
        (folder / _FILLED).touch()
    fill_seconds = None if filled else perf_counter() - began
    services = compose(settings)
    try:
        return _measured(layout, services.parts, list(islice(questions(seed + 1), asked)), fill_seconds)
    finally:
        services.close()


def _measured(layout: Layout, parts: Parts, asked: Sequence[str], fill_seconds: float | None) -> Speed:
    watch = Stopwatch()
    recall = watch.with_timed_parts(parts.recall)
    if parts.embedder is not None:
        parts.embedder.encode(["ready?"])
    began = perf_counter()
    recall("ready?", ASKER)
    first = perf_counter() - began
    for question in asked[:_WARM_UP]:
        parts.choose(recall(question, ASKER), ASKER)
    rows: list[dict[str, float]] = []
    cpus: list[list[float]] = []
    by_part: list[dict[str, float]] = []
    for question in with_progress(asked, f"{layout.name}, {_keys(layout):,} keys"):
        times, cpu = [perf_counter()], [process_time()]
        if parts.embedder is not None:
            parts.embedder.encode([question])
        times.append(perf_counter())
        cpu.append(process_time())
        watch.lap()
        candidates = recall(question, ASKER)
        times.append(perf_counter())
        parts.choose(candidates, ASKER)
        times.append(perf_counter())
        cpu.append(process_time())
        embedding, recalled, gate = ((after - before) * 1000 for before, after in pairwise(times))
        rows.append({"embedding": embedding, "recall": recalled, "gate": gate, "total": recalled + gate})
        cpus.append([after - before for before, after in pairwise(cpu)])
        inside = watch.lap()
        by_part.append({**inside.by_part, "rest": recalled - inside.busy})
    spreads = {name: spread([row[name] for row in rows]) for name in rows[0]}
    alone = spreads.pop("embedding") if parts.embedder is not None else None
    names = sorted({name for row in by_part for name in row} - {"rest"})
    return Speed(
        layout=layout.name,
        keys=_keys(layout),
        readable=layout.own + layout.shared,
        fill_seconds=fill_seconds,
        first_ms=first * 1000,
        embedding=alone,
        recall=spreads["recall"],
        gate=spreads["gate"],
        total=spreads["total"],
        ratio=spreads["total"].p50 / alone.p50 if alone else None,
        cpu_ratio=_ratio_of_p50(cpus) if alone else None,
        parts={name: spread([row.get(name, 0.0) for row in by_part]) for name in (*names, "rest")},
    )


def as_json(measured: Sequence[Speed], asked: int, seed: int) -> dict[str, Any]:
    """What was measured, and on what."""
    return {"questions": asked, "seed": seed, "machine": machine(), "runs": [asdict(one) for one in measured]}


def machine() -> dict[str, Any]:
    """On what it was measured."""
    return {"cpus": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}


def _keys(layout: Layout) -> int:
    return layout.own + layout.shared + layout.others


def _ratio_of_p50(pairs: Sequence[Sequence[float]]) -> float:
    """Of the second of each pair by the first."""
    alone, total = (spread(values).p50 for values in zip(*pairs, strict=True))
    return total / alone


def spread(values: Sequence[float]) -> Spread:
    """Median and 95th percentile."""
    return Spread(percentile(values, 50) or 0.0, percentile(values, 95) or 0.0)
