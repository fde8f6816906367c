"""The report of a run on EntailmentBank: after Figures 4 and 5 and Table A1 of TeachMe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.papers.expnote.practice import FLIPS
from evaluation.command_parts import Table
from evaluation.streams.pages import curves, mean, write_page
from evaluation.teachme.indexed import FIRST, Found
from evaluation.teachme.simulated import ALL, RESTING, Measured


def tables(measured: Measured) -> list[Table]:
    """Those of a run, but for that of the indexes."""
    total = measured.flips.total() or 1
    of_each = [
        [way, *(f"{mean(groups[group]):.3f}" if groups.get(group) else "" for group in (ALL, RESTING))]
        for way, groups in measured.right.items()
    ]
    flips = [f"{measured.flips[name] / total:.3f}" for name in FLIPS]
    by_size = [
        [f"{point:.0%}", f"{mean(measured.memory[point]):.0f}", f"{mean(right):.3f}"]
        for point, right in sorted(measured.curve.items())
    ]
    return [
        Table("hidden questions right", (ALL, RESTING), of_each),
        Table("taught so far", ("facts in memory", "hidden questions right"), by_size),
        Table("hidden questions, before and after", FLIPS, [["", *flips]]),
        Table("of the taught questions", ("needed feedback",), [["", f"{mean(measured.needed):.3f}"]]),
    ]


def table_of_indexes(looked_up: int, found: Sequence[Found]) -> Table:
    """How well a core fact is found, by what facts are kept under."""
    rows = [[f"{one.index}, {one.by}", *(f"{value:.3f}" for value in one.recall)] for one in found]
    return Table(f"core fact found for {looked_up} questions, kept under", [f"R@{most}" for most in FIRST], rows)


def write_report(folder: Path, measured: Measured, indexes: Table) -> Path:
    """Write the page with tables and curve; its path."""
    figure = curves({"": measured.curve}, "share of the questions that were taught", "hidden questions right")
    return write_page(folder / "report.html", "Facts that are taught", [*tables(measured), indexes], figure)
