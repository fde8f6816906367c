"""Command line options shared by the commands."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated

import typer

from evaluation.harness.dataset import BadInput

RUNS = Path("runs")
MODELS = "a LiteLLM name, `local/NAME` or the path of a GGUF file"
Out = Annotated[Path, typer.Option("--out", help="Folder of the run; an existing run continues.", metavar="OUT")]
Data = Annotated[Path, typer.Option("--data", help="Folder of the data set.", metavar="DIR")]
Model = Annotated[str, typer.Option("--model", help=f"Model that answers: `embedded`, or {MODELS}.", metavar="M")]
Seed = Annotated[int, typer.Option(help="Seed of the random choices.")]


def parse_names(names: str | Iterable[str], known: Collection[str], what: str) -> list[str]:
    """Split a comma-separated text into names. Raises BadInput for an unknown name."""
    found = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)]
    if unknown := {*found} - {*known}:
        raise BadInput(f"There is no {what} {', '.join(sorted(unknown))}; choose from {', '.join(known)}.")
    return found
