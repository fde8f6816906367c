"""What was measured of speed, as tables: a column per store, a row per part; growth reads from left to right."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.speed import Speed, Spread
from evaluation.table import plain_table, wide_console


def show(measured: Sequence[Speed]) -> None:
    """Print one table per layout, milliseconds as p50 / p95."""
    console = wide_console()
    for layout in dict.fromkeys(one.layout for one in measured):
        some = [one for one in measured if one.layout == layout]
        table = plain_table(f"keys: {layout}", *(f"{one.keys:,}" for one in some))
        table.add_row("readable by the asker", *(f"{one.readable:,}" for one in some))
        table.add_row("ratio of recall and gate to embedding alone", *(_ratio(one.ratio) for one in some))
        table.add_row("the same, of processor time", *(_ratio(one.cpu_ratio) for one in some))
        table.add_row("embedding the question alone, ms", *(_spread(one.embedding) for one in some))
        table.add_row("recall, embedding included, ms", *(_spread(one.recall) for one in some))
        for name in dict.fromkeys(name for one in some for name in one.parts):
            table.add_row(f"  {name}", *(_spread(one.parts.get(name)) for one in some))
        table.add_row("gate, ms", *(_spread(one.gate) for one in some))
        table.add_row("first recall, ms", *(f"{one.first_ms:,.0f}" for one in some))
        table.add_row("filling, s", *(_seconds(one.fill_seconds) for one in some))
        console.print(table)


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _spread(spread: Spread | None) -> str:
    return "–" if spread is None else f"{spread.p50:.2f} / {spread.p95:.2f}"


def _seconds(value: float | None) -> str:
    return "kept" if value is None else f"{value:,.0f}"
