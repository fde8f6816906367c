"""Reports: tables, plots and settings of a run as JSON, on the terminal, and as an HTML page."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, PlainSerializer, ValidationError

from evaluation.harness.dataset import BadInput, read_text

if TYPE_CHECKING:
    from rich.table import Table as Shown

_NARROWEST = 170  # columns of a terminal
_FILE, _PAGE = "report.json", "report.html"
_TEMPLATE = Path(__file__).with_name("page.html")

Number: TypeAlias = Annotated[float, PlainSerializer(lambda value: round(value, 4))]
"""A fraction, rounded to four digits in files so that runs can be compared."""


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True)


class Share(FrozenModel):
    """A number of hits among a total."""

    hits: int
    of: int

    @classmethod
    def of_all(cls, hits: Iterable[object]) -> Share:
        """Return the share of true values."""
        values = [bool(one) for one in hits]
        return cls(hits=sum(values), of=len(values))

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None


Settings: TypeAlias = Mapping[str, str | int | float | bool | None]
Cell: TypeAlias = Share | int | Number | str | None


class Table(FrozenModel):
    """Named rows of cells, one per column."""

    title: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[Cell, ...]]

    @classmethod
    def of(cls, title: str, rows: Mapping[str, Mapping[str, Cell]]) -> Table:
        """Return a table from cells by row and column; missing cells are empty."""
        columns = tuple(dict.fromkeys(name for cells in rows.values() for name in cells))
        filled = {row: tuple(cells.get(name, "") for name in columns) for row, cells in rows.items()}
        return cls(title=title, columns=columns, rows=filled)

    def cells(self, row: str) -> dict[str, Cell]:
        """Return the cells of a row by column."""
        return dict(zip(self.columns, self.rows[row], strict=True))


class Plot(FrozenModel):
    """Named lines of (x, mean, lowest, highest)."""

    title: str
    across: str
    up: str
    lines: dict[str, tuple[tuple[Number, Number, Number, Number], ...]]

    @classmethod
    def of(cls, title: str, across: str, up: str, lines: Mapping[str, Mapping[float, Sequence[float]]]) -> Plot:
        """Return a plot of values of several runs, by name and x."""
        points = {
            name: tuple((x, mean(line[x]), min(line[x]), max(line[x])) for x in sorted(line))
            for name, line in lines.items()
        }
        return cls(title=title, across=across, up=up, lines=points)


class Report(FrozenModel):
    """Results and settings of a run."""

    name: str
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()
    model: str = ""
    settings: Settings = {}

    def table(self, title: str) -> Table:
        """Return the first table whose title begins with `title`."""
        return next(table for table in self.tables if table.title.startswith(title))

    def numbers(self) -> Iterator[tuple[str, float]]:
        """Yield every number of the tables, named "table: row: column"."""
        for table in self.tables:
            for row in table.rows:
                for column, cell in table.cells(row).items():
                    value = cell.value if isinstance(cell, Share) else cell
                    if isinstance(value, int | float):
                        yield f"{table.title}: {row}: {column}", value


def publish(report: Report, folder: Path) -> None:
    """Print the report of a run, and write it to its folder. Raises BadInput."""
    show_report(report)
    print(write_report(report, folder))  # noqa: T201


def write_report(report: Report, folder: Path) -> Path:
    """Write the report as JSON and HTML; return the path of the HTML page. Raises BadInput."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(_TEMPLATE.parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    pictures = {plot.title: _render_svg(plot) for plot in report.plots if importlib.util.find_spec("matplotlib")}
    page = environment.get_template(_TEMPLATE.name).render(report=report, pictures=pictures, text_of=format_cell)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
        (folder / _PAGE).write_text(page, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The report cannot be written to {folder}: {error.strerror or error}.") from None
    return folder / _PAGE


def read_report(folder: Path) -> Report:
    """Return the report of a run. Raises BadInput if the folder has none."""
    path = folder / _FILE
    if not path.is_file():
        raise BadInput(f"{folder} holds no run; `python -m evaluation run … --out {folder}` makes one.")
    try:
        return Report.model_validate_json(read_text(path))
    except ValidationError:
        raise BadInput(f"{path} is no report of this version.") from None


def compare(before: Report, after: Report) -> Table:
    """Return a table of the numbers that differ between two reports, or are in one of them only."""
    one, other = dict(before.numbers()), dict(after.numbers())
    rows: dict[str, Mapping[str, Cell]] = {}
    for name in dict.fromkeys((*one, *other)):
        old, new = one.get(name), other.get(name)
        if old != new:
            difference = None if old is None or new is None else new - old
            rows[name] = {"before": old, "after": new, "difference": difference}
    return Table.of(f"{len(rows)} of {len({*one, *other})} numbers differ", rows)


def show_report(report: Report) -> None:
    """Print the tables and notes, at least as wide as the tables."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)  # names come from files
    console.width = max(console.width, _NARROWEST)
    for table in report.tables:
        console.print(_render(table))
    for note in report.notes:
        console.print(note)


def format_cell(cell: Cell) -> str:
    """Return a cell as text for people."""
    match cell:
        case None:
            return "–"
        case Share():
            return "–" if cell.value is None else f"{cell.hits:,} of {cell.of:,} ({cell.value:.3f})"
        case float():
            return f"{cell:,.3f}"
        case int():
            return f"{cell:,}"
        case _:
            return cell


def mean(values: Iterable[float]) -> float:
    """Return the mean; 0 without values."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _render(table: Table) -> Shown:
    from rich import box
    from rich.table import Table as Shown

    shown = Shown(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column(table.title)
    for name in table.columns:
        is_text = all(isinstance(table.cells(row)[name], str) for row in table.rows)
        shown.add_column(name, justify="left" if is_text else "right", no_wrap=not is_text)
    for row, cells in table.rows.items():
        shown.add_row(row, *map(format_cell, cells))
    return shown


def _render_svg(plot: Plot) -> str:
    """Return a plot as deterministic, self-contained SVG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, points in plot.lines.items():
        x, means, low, high = zip(*points, strict=True)
        (line,) = axes.plot(x, means, label=name)
        axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(xlabel=plot.across, ylabel=plot.up, ylim=(0, 1.02))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "noted", "svg.fonttype": "path"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]
