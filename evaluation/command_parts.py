"""What the commands share: where they are found, options, and how they show and keep what they measure."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

import evaluation
from evaluation.reading import BadInput

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Shown

_NARROWEST = 134  # columns; a narrower table would be cut where nobody looks at a terminal


@dataclass(frozen=True, slots=True)
class Commands:
    """What a folder adds to the command line: the value `COMMANDS` of its `commands.py`, which loads nothing heavy."""

    commands: Sequence[Callable[..., None]] = ()  # called what the functions are called
    plans: Mapping[str, Callable[..., None]] = field(default_factory=dict)  # of `run`, by name
    reports: Mapping[str, Callable[[Path], Path]] = field(default_factory=dict)  # folder of a run to page, by task


def commands_of_folders() -> Iterator[Commands]:
    """Those of every folder of `evaluation/` that has any, in the order of their names."""
    for folder in pkgutil.iter_modules(evaluation.__path__, "evaluation."):
        if folder.ispkg and find_spec(f"{folder.name}.commands"):
            yield import_module(f"{folder.name}.commands").COMMANDS


Report = Annotated[Path | None, typer.Option("--report", help="Keep all numbers here.", metavar="R.json")]
Seed = Annotated[int, typer.Option(help="Repeats a random choice.")]


def check_outputs(outputs: list[Path | None], inputs: list[Path | None]) -> None:
    """Nothing that is read may be written over, and whatever is to be written at the end must be writable now.

    Raises:
        BadInput: it would be, or is not.
    """
    taken = {path.resolve() for path in inputs if path}
    for path in (path for path in outputs if path):
        if path.resolve() in taken:
            raise BadInput(f"{path} is named twice; it would be overwritten.")
        taken.add(path.resolve())
        if not path.absolute().parent.is_dir():
            raise BadInput(f"{path} cannot be written: there is no folder {path.absolute().parent}.")
        if path.is_dir():
            raise BadInput(f"{path} cannot be written: it is a folder.")


def write_json(path: Path | None, values: object) -> None:
    """Keep a report, where a file is named for it, every fraction cut to four places, so that runs can be compared.

    Raises:
        BadInput: the file cannot be written.
    """
    if path is None:
        return
    try:
        path.write_text(json.dumps(_rounded(values), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None


def _rounded(values: object) -> object:
    if isinstance(values, float):
        return round(values, 4)
    if isinstance(values, dict):
        return {name: _rounded(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [_rounded(value) for value in values]
    return values


def wide_console(narrowest: int = _NARROWEST) -> Console:
    """Standard output, never narrower than the tables, in columns."""
    from rich.console import Console  # not before something is shown

    console = Console(highlight=False, markup=False)  # names come from files
    console.width = max(console.width, narrowest)
    return console


def plain_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Shown:
    """A table without lines between rows: the name of what is in a row, then a number for each column."""
    from rich import box
    from rich.table import Table as Shown

    table = Shown(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(title, no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    return table


def show_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print such a table."""
    wide_console().print(plain_table(title, columns, rows))


class Table(NamedTuple):
    """What such a table is made of."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def show_tables(tables: Iterable[Table]) -> None:
    """Print several."""
    for table in tables:
        show_table(*table)


def show_shares(title: str, found: Mapping[str, Mapping[str, float | None]]) -> None:
    """Print shares by what was measured in which way; a way in which not all is measured has fewer."""
    columns = dict.fromkeys(name for shares in found.values() for name in shares)
    rows = [(way, *(number(shares[one]) if one in shares else "" for one in columns)) for way, shares in found.items()]
    show_table(title, columns, rows)


def number(value: float | None) -> str:
    """A share with three places, or a dash."""
    return "–" if value is None else f"{value:.3f}"


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar on standard error, where somebody looks at it. What it yields hears that so many are done, or one more."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        bar = shown.add_task(what, total=total)

        def tell(done: int | None = None) -> None:
            shown.update(bar, completed=done, advance=1 if done is None else None)

        yield tell
