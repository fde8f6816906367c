"""What `python -m evaluation page` prints."""

from __future__ import annotations

from statistics import median

from rich.console import Console
from rich.table import Table

from evaluation.page import Measured

BARS = {"added_p95": 50.0, "ratio": 1.2}
"""What the page may add to a word, in milliseconds, and its first request by that of an empty page."""


def show(measured: Measured) -> None:
    """Print it, with the bars beside it."""
    console = Console()
    table = Table(title=f"{measured.page.people} readers, ten words a second to each")
    for column in ("", "words", "p50 ms", "p95 ms", "p95 with beginnings", "crossed", "errors"):
        table.add_column(column, justify="left" if not column else "right")
    for name, load in (("read directly", measured.direct), ("through the page", measured.page)):
        counts = (str(load.crossed), str(len(load.errors)))
        times = (f"{load.p50:.1f}", f"{load.p95:.1f}", f"{load.all_p95:.1f}")
        table.add_row(name, f"{load.words:,}", *times, *counts)
    console.print(table)
    console.print(
        "Milliseconds from the model's writing of a word to its arrival, while all are being answered; beginnings: "
        "also while some still begin or have ended. The page updates ten times a second: where a word waits for that, "
        "the wait is counted."
    )
    console.print(f"Added to a word, p95: {measured.added_p95:.1f} ms (bar {BARS['added_p95']:.0f} ms)")
    empty, ours = (
        tuple(median(getattr(start, name) for start in starts) for name in ("request", "ready"))
        for starts in zip(*measured.pairs, strict=True)
    )
    console.print(
        f"First request: {ours[0] * 1000:.0f} ms, an empty Gradio page {empty[0] * 1000:.0f} ms: "
        f"{measured.ratio:.2f} times (bar {BARS['ratio']})"
    )
    console.print(f"From the start of the process to the first page: {ours[1]:.1f} s, empty {empty[1]:.1f} s")
    console.print(f"{measured.cores} cores, load {measured.busy:.1f}")
    for error in sorted(set(measured.page.errors)):
        console.print(error, style="red", markup=False)
