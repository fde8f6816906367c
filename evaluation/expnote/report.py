"""The report of a run: tables of what was right, of the lessons and of the flips, and the curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.expnote.results import FLIPS
from evaluation.expnote.running import CURVES, SETTINGS, Measured, mean
from evaluation.streams.pages import Table, write_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ENOUGH = 0.95
_SORTS = ("positive", "negative", "both", "case", "noisy")


def tables(measured: Mapping[str, Measured]) -> list[Table]:
    """Those of a run."""
    points = dict.fromkeys(point for one in measured.values() for point in one.after("both"))
    columns = (*map(str, points), "area", f"cases to {_ENOUGH}")
    return [
        Table("share of tests right", SETTINGS, [*_shares(measured)]),
        Table("share of tests right after so many cases, and the area under that curve", columns, [*_curves(measured)]),
        Table("lessons, and hundredths gained by each", _SORTS, [*_lessons(measured)]),
        Table("share of tests", FLIPS, [*_flips(measured)]),
    ]


def write_report(folder: Path, measured: Mapping[str, Measured]) -> Path:
    """Write the page with tables and curve; its path."""
    return write_page(folder / "report.html", "Lessons from cases", tables(measured), _curve(measured))


def _shares(measured: Mapping[str, Measured]) -> Iterable[list[str]]:
    for task, one in measured.items():
        for group in one.right["both"]:
            yield [f"{task}, {group}", *(f"{one.share(setting, group):.3f}" for setting in SETTINGS)]


def _curves(measured: Mapping[str, Measured]) -> Iterable[list[str]]:
    for task, one in measured.items():
        for setting in CURVES:
            points = [f"{right:.3f}" for right in (*one.after(setting).values(), one.area(setting))]
            yield [f"{task}, {setting}", *points, str(one.cases_to(_ENOUGH, setting) or "never")]


def _lessons(measured: Mapping[str, Measured]) -> Iterable[list[str]]:
    for task, one in measured.items():
        gained = {sort: one.efficiency(sort) for sort in _SORTS}
        counts = {sort: f"{mean(one.lessons[sort]):.1f}" for sort in _SORTS}
        yield [task, *(counts[sort] + (f" ({gain:.2f})" if gain is not None else "") for sort, gain in gained.items())]


def _flips(measured: Mapping[str, Measured]) -> Iterable[list[str]]:
    for task, one in measured.items():
        yield [task, *(f"{one.flips[flip] / one.flips.total():.3f}" for flip in FLIPS)]


def _curve(measured: Mapping[str, Measured]) -> Figure:
    """The share of tests right over the cases learnt from; the band is from the lowest to the highest seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for task, one in measured.items():
        curve = one.curve["both"]
        points = sorted(curve)
        (line,) = axes.plot(points, [mean(curve[at]) for at in points], marker="o", label=task)
        low, high = ([limit(curve[at]) for at in points] for limit in (min, max))
        axes.fill_between(points, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(xlabel="cases", ylabel="share of tests right", ylim=(0, 1.02))
    axes.legend(frameon=False)
    return figure
