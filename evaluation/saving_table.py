"""What `python -m evaluation saving` prints."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.saving import Saved
from evaluation.saving_disk import Disk
from evaluation.speed import Spread
from evaluation.table import plain_table, wide_console

BARS = {"saved": 1.3, "disk": 3.0}
"""What "Saved" may take by one commit with full sync, and the files by what the rows say."""
_MEGABYTE = 1e6


def show_saved(measured: Sequence[Saved]) -> None:
    """Print times, milliseconds as p50 / p95, a column per store."""
    table = plain_table('"Saved"', *(one.name for one in measured))
    table.add_row("entries before", *(f"{one.entries:,}" for one in measured))
    table.add_row("saves", *(f"{one.saves:,}" for one in measured))
    table.add_row(f"ratio of the medians (bar {BARS['saved']})", *(f"{one.ratio:.2f}" for one in measured))
    table.add_row('until "Saved" may be said, ms', *(_spread(one.saved) for one in measured))
    table.add_row("one commit of one row, ms", *(_spread(one.commit) for one in measured))
    table.add_row('processor until "Saved", ms', *(_spread(one.saved_cpu) for one in measured))
    table.add_row("processor of the commit, ms", *(_spread(one.commit_cpu) for one in measured))
    wide_console().print(table)


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
    table.add_row(f"ratio of the files to what the rows say (bar {BARS['disk']:.0f})", f"{disk.ratio:.2f}")
    table.add_row("all files when they were largest", _megabytes(disk.most))
    wide_console().print(table)


def _spread(spread: Spread) -> str:
    return f"{spread.p50:.2f} / {spread.p95:.2f}"


def _megabytes(size: int) -> str:
    return f"{size / _MEGABYTE:,.2f}"
