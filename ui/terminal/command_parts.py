"""What the commands share: their options, the parts that they use, and how they say what went wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Annotated

import typer

from assistant.errors import NotedError
from assistant.settings import Settings
from assistant.upkeep import Progress
from ui.services import Services

LOCAL_PERSON = "local"
_SECONDS = 1.0  # between two lines that say how far something is

User = Annotated[str, typer.Option("--user", help="Whose memory it is.", metavar="U")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Home = Annotated[str | None, typer.Option("--home", help="The data directory.", metavar="DIR")]

Compose = Callable[[Settings], Services]


@contextmanager
def opened(compose: Compose, home: str | None) -> Iterator[Services]:
    """The parts over a data directory, closed at the end."""
    services = compose(Settings.load(home=home))
    try:
        yield services
    finally:
        services.close()


@contextmanager
def plain_errors() -> Iterator[None]:
    """What went wrong, as one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a mark in its place.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        yield
    except NotedError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo("Stopped.", err=True)
        raise typer.Exit(130) from None


def now_and_then() -> Progress:
    """Shows how far something is, once a second at most; what takes less shows nothing."""
    shown = monotonic()

    def tell(line: str) -> None:
        nonlocal shown
        if monotonic() - shown >= _SECONDS:
            typer.echo(line, err=True)
            shown = monotonic()

    return tell


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False))
