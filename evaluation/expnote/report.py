"""The report of a run: tables of what was right, of the lessons and of the flips, and the curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from assistant.papers.expnote.practice import FLIPS
from evaluation.command_parts import Table
from evaluation.expnote.running import CURVES, SETTINGS, Measured
from evaluation.streams.pages import curves, mean, write_page

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
    figure = curves({task: one.curve["both"] for task, one in measured.items()}, "cases", "share of tests right")
    return write_page(folder / "report.html", "Lessons from cases", tables(measured), figure)


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
