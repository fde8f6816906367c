"""The commands that make other embedders to try with, and measure the gate with one that it was not fitted on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands


def trial_embedders(
    folder: Annotated[Path, typer.Argument(help="Where they are made, outside of the repository.", metavar="DIR")],
) -> None:
    """Make embedders that differ, from the bundled weights: cut, narrowed, crowded, and word vectors."""
    from evaluation.embedders.trial import trial_embedders as make

    for path in make(folder, made=lambda name: typer.echo(f"Made: {name}", err=True)).values():
        typer.echo(str(path))


COMMANDS = Commands((trial_embedders,))
