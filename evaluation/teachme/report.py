"""The report of a run on EntailmentBank: after Figures 4 and 5 and Table A1 of TeachMe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.expnote.results import FLIPS
from evaluation.streams.pages import Table, write_page
from evaluation.teachme.indexed import FIRST, Found
from evaluation.teachme.simulated import ALL, RESTING, Measured, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables(measured: Measured) -> list[Table]:
    """Those of a run, but for that of the indexes."""
    total = measured.flips.total() or 1
    of_each = [
        [way, *(f"{share(groups[group]):.3f}" if groups.get(group) else "" for group in (ALL, RESTING))]
        for way, groups in measured.right.items()
    ]
    flips = [f"{measured.flips[name] / total:.3f}" for name in FLIPS]
    by_size = [
        [f"{point:.0%}", f"{share(measured.memory[point]):.0f}", f"{share(right):.3f}"]
        for point, right in sorted(measured.curve.items())
    ]
    return [
        Table("hidden questions right", (ALL, RESTING), of_each),
        Table("taught so far", ("facts in memory", "hidden questions right"), by_size),
        Table("hidden questions, before and after", FLIPS, [["", *flips]]),
        Table("of the taught questions", ("needed feedback",), [["", f"{share(measured.needed):.3f}"]]),
    ]


def table_of_indexes(looked_up: int, found: Sequence[Found]) -> Table:
    """How well a core fact is found, by what facts are kept under."""
    rows = [[f"{one.index}, {one.by}", *(f"{value:.3f}" for value in one.recall)] for one in found]
    return Table(f"core fact found for {looked_up} questions, kept under", [f"R@{most}" for most in FIRST], rows)


def write_report(folder: Path, measured: Measured, indexes: Table) -> Path:
    """Write the page with tables and curve; its path."""
    return write_page(folder / "report.html", "Facts that are taught", [*tables(measured), indexes], _curve(measured))


def _curve(measured: Measured) -> Figure:
    """The share of the hidden questions that are right over the share that was taught; the band is of the orders."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes, points = figure.subplots(), sorted(measured.curve)
    axes.plot(points, [share(measured.curve[at]) for at in points], marker="o")
    low, high = ([limit(measured.curve[at]) for at in points] for limit in (min, max))
    axes.fill_between(points, low, high, alpha=0.2, linewidth=0)
    axes.set(xlabel="share of the questions that were taught", ylabel="hidden questions right", ylim=(0, 1.02))
    return figure
