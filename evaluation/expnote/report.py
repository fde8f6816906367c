"""The report of a run: tables of what was right, of the lessons and of the flips, and the curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from assistant.expnote.results import FLIPS
from evaluation.expnote.running import SETTINGS, Measured, mean

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>ExpNote</title>
<style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
td,th{{padding:.2rem .7rem;text-align:right}}td:first-child,th:first-child{{text-align:left}}</style>
<h1>Lessons from cases</h1>{tables}{curve}</html>
"""
_SORTS = ("positive", "negative", "both", "case", "noisy")


class Table(NamedTuple):
    """A table of texts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def tables(measured: Mapping[str, Measured]) -> list[Table]:
    """Those of a run."""
    return [
        Table("share of tests right", SETTINGS, [*_shares(measured)]),
        Table("lessons, and hundredths gained by each", _SORTS, [*_lessons(measured)]),
        Table("share of tests", FLIPS, [*_flips(measured)]),
    ]


def write_report(folder: Path, measured: Mapping[str, Measured]) -> Path:
    """Write the page with tables and curve; its path."""
    page = folder / "report.html"
    told = "".join(map(_html, tables(measured)))
    page.write_text(_PAGE.format(tables=told, curve=_curve(measured)), encoding="utf-8")
    return page


def _shares(measured: Mapping[str, Measured]) -> Iterable[list[str]]:
    for task, one in measured.items():
        for group in one.right["both"]:
            yield [f"{task}, {group}", *(f"{one.share(setting, group):.3f}" for setting in SETTINGS)]


def _lessons(measured: Mapping[str, Measured]) -> Iterable[list[str]]:
    for task, one in measured.items():
        gained = {sort: one.efficiency(sort) for sort in _SORTS}
        counts = {sort: f"{mean(one.lessons[sort]):.1f}" for sort in _SORTS}
        yield [task, *(counts[sort] + (f" ({gain:.2f})" if gain is not None else "") for sort, gain in gained.items())]


def _flips(measured: Mapping[str, Measured]) -> Iterable[list[str]]:
    for task, one in measured.items():
        yield [task, *(f"{one.flips[flip] / one.flips.total():.3f}" for flip in FLIPS)]


def _html(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *table.columns))
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<h2>{escape(table.title)}</h2><table><tr>{head}</tr>{rows}</table>"


def _curve(measured: Mapping[str, Measured]) -> str:
    """The share of tests right over the cases learnt from; the band is from the lowest to the highest seed."""
    from matplotlib.figure import Figure

    from evaluation.streams.report.charts import svg

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for task, one in measured.items():
        points = sorted(one.curve)
        (line,) = axes.plot(points, [mean(one.curve[at]) for at in points], marker="o", label=task)
        low, high = ([limit(one.curve[at]) for at in points] for limit in (min, max))
        axes.fill_between(points, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(xlabel="cases", ylabel="share of tests right", ylim=(0, 1.02))
    axes.legend(frameon=False)
    return svg(figure)
