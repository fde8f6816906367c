"""A report of tables and pictures, for a run that has no streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
td,th{{padding:.2rem .7rem;text-align:right}}td:first-child,th:first-child{{text-align:left}}</style>
<h1>{title}</h1>{told}</html>
"""


class Table(NamedTuple):
    """A table of texts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def write_page(page: Path, title: str, tables: Iterable[Table], figure: Figure) -> Path:
    """Write the page; its path."""
    from evaluation.streams.report.charts import svg

    told = "".join([*map(_html, tables), svg(figure)])
    page.write_text(_PAGE.format(title=escape(title), told=told), encoding="utf-8")
    return page


def show_tables(tables: Iterable[Table]) -> None:
    """Print the tables."""
    from evaluation.decisions.table import plain_table, wide_console

    console = wide_console()
    for table in tables:
        shown = plain_table(table.title, *table.columns)
        for row in table.rows:
            shown.add_row(*row)
        console.print(shown)


def _html(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *table.columns))
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<h2>{escape(table.title)}</h2><table><tr>{head}</tr>{rows}</table>"
