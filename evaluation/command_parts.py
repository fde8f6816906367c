"""What the commands share: where they are found, options, and whether what they write can be written."""

import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import evaluation
from evaluation.reading import BadInput


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
