"""What several commands share: options, and whether what they write can be written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.reading import BadInput

Report = Annotated[Path | None, typer.Option("--report", help="Keep all numbers and curves here.", metavar="R.json")]
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
