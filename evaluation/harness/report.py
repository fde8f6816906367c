"""Reports: tables and settings of a run, as JSON and on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, PlainSerializer, ValidationError

from evaluation.harness.dataset import BadInput, read_text

if TYPE_CHECKING:
    from rich.table import Table as Shown

_NARROWEST = 240  # columns of a terminal
_FILE = "report.json"

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


class Report(FrozenModel):
    """Results and settings of a run."""

    name: str
    tables: tuple[Table, ...]
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
    """Print the report of a run, and write it to its folder as JSON. Raises BadInput."""
    show_report(report)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The report cannot be written to {folder}: {error.strerror or error}.") from None
    print(folder / _FILE)  # noqa: T201


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
