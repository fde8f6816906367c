"""The command that makes other embedders to try with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands
from evaluation.reading import BadInput


def trial_embedders(
    folder: Annotated[Path, typer.Argument(help="Where they are made, outside of the repository.", metavar="DIR")],
    only: Annotated[
        list[str] | None,
        typer.Option(help="Make this one: `pieces` and `glossed` come only so. May be given more than once."),
    ] = None,
) -> None:
    """Make embedders that differ, from the bundled weights: cut, narrowed, crowded, and word vectors."""
    from evaluation.embedders.trial import NAMES
    from evaluation.embedders.trial import trial_embedders as make

    if unknown := set(only or ()) - set(NAMES):
        raise BadInput(f"There is none that is called {', '.join(sorted(unknown))}.")
    for path in make(folder, only or (), lambda name: typer.echo(f"Made: {name}", err=True)).values():
        typer.echo(str(path))


COMMANDS = Commands((trial_embedders,))
