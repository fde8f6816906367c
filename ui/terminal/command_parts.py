"""What the commands share: their options, the parts that they use, and how they say what went wrong."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from assistant.errors import NotedError
from assistant.reports.upkeep import Progress
from assistant.settings import Settings
from ui.server.services import Services

_OBEYED = re.compile(r"[\x7f-\x9f]")
_SECONDS = 1.0  # between two lines that say how far something is

User = Annotated[str, typer.Option("--user", help="Whose memory it is.", metavar="U")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Home = Annotated[str | None, typer.Option("--home", help="The data directory.", metavar="DIR")]

Compose = Callable[[Settings], Services]


class PlainErrors(TyperGroup):
    """Commands that say what went wrong as one sentence and an exit code."""

    input_errors: tuple[type[NotedError], ...] = ()  # these end with 2, all others with 1
    stopped = "Stopped."

    def invoke(self, ctx: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character shows a mark in its place.
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            return super().invoke(ctx)
        except NotedError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(2 if isinstance(error, self.input_errors) else 1) from None
        except KeyboardInterrupt:
            typer.echo(self.stopped, err=True)
            raise typer.Exit(130) from None


@contextmanager
def opened(compose: Compose, home: str | None) -> Iterator[Services]:
    """The parts over a data directory, closed at the end."""
    services = compose(Settings.load(home=home))
    try:
        yield services
    finally:
        services.close()


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
    """Print a value as one line of JSON, without the signs that a terminal obeys and JSON lets stand."""
    line = json.dumps(value, ensure_ascii=False)
    typer.echo(_OBEYED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", line))
