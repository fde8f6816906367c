"""A report of tables and a picture, for a run that has no streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.command_parts import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
td,th{{padding:.2rem .7rem;text-align:right}}td:first-child,th:first-child{{text-align:left}}</style>
<h1>{title}</h1>{told}</html>
"""


def write_page(page: Path, title: str, tables: Iterable[Table], figure: Figure) -> Path:
    """Write the page; its path."""
    from evaluation.streams.report.charts import svg

    told = "".join([*map(_html, tables), svg(figure)])
    page.write_text(_PAGE.format(title=escape(title), told=told), encoding="utf-8")
    return page


def curves(shown: Mapping[str, Mapping[Any, Sequence[float]]], across: str, up: str) -> Figure:
    """Shares by name and what they are over; each band is from the lowest of its values to the highest."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, curve in shown.items():
        points = sorted(curve)
        (line,) = axes.plot(points, [mean(curve[at]) for at in points], marker="o", label=name)
        low, high = ([limit(curve[at]) for at in points] for limit in (min, max))
        axes.fill_between(points, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(xlabel=across, ylabel=up, ylim=(0, 1.02))
    if any(shown):
        axes.legend(frameon=False)
    return figure


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of none."""
    return sum(values) / len(values) if values else 0.0


def _html(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *table.columns))
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<h2>{escape(table.title)}</h2><table><tr>{head}</tr>{rows}</table>"
