"""The command `report`, and what the plans of the experiments share."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.command_parts import Commands, commands_of_folders, progress
from evaluation.reading import BadInput

if TYPE_CHECKING:
    from evaluation.streams.experiment import Prepare, StreamSettings

CORES = os.cpu_count() or 1

Folder = Annotated[Path, typer.Option("--out", help="Folder of the run; one that is there goes on.", metavar="DIR")]
Model = Annotated[str, typer.Option(help="What answers: a LiteLLM name, or `embedded`.", metavar="M")]
Processes = Annotated[int, typer.Option(min=1, help="How many streams run at a time.")]


def report(folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="DIR")]) -> None:
    """Write the report of a run: DIR/report.html with its pictures, also as PNG files, and DIR/report.json."""
    from evaluation.streams.log import read_logs

    check_that_pictures_can_be_drawn()
    task = next(read_logs(folder)).settings.task
    writers = {name: write for one in commands_of_folders() for name, write in one.reports.items()}
    if task not in writers:
        raise BadInput(f'{folder} is a run of the task "{task}", and no experiment has such a task.')
    try:
        page = writers[task](folder)
    except OSError as error:
        raise BadInput(f"The report cannot be written: {error}.") from None
    typer.echo(page)


def run_streams(chosen: Sequence[StreamSettings], prepare: Prepare, out: Path, processes: int) -> None:
    """Run streams, showing how far they are, and write the report."""
    from evaluation.streams.running import run_all

    check_that_pictures_can_be_drawn()
    with progress("Asking", sum(stream.length for stream in chosen)) as told:
        run_all(chosen, prepare, out, processes, told)
    report(out)


def check_that_pictures_can_be_drawn() -> None:
    """`make run` does not install what draws the report, and a run takes minutes.

    Raises:
        BadInput: it is not there.
    """
    if importlib.util.find_spec("matplotlib") is None:
        install = "python -m pip install --group experiments"
        raise BadInput(f"The report is drawn by matplotlib, which is not installed; install it with: {install}")


COMMANDS = Commands([report])
