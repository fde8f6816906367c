"""Options that the commands share."""

from pathlib import Path
from typing import Annotated

import typer

RUNS = Path("runs")
Data = Annotated[Path, typer.Option("--data", help="Folder of the data set.", metavar="DIR")]
Model = Annotated[str, typer.Option("--model", help="What answers: a LiteLLM name, or `embedded`.", metavar="M")]
Seed = Annotated[int, typer.Option(help="Repeats a random choice.")]
