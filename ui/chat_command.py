"""The command for a conversation in a terminal: `python app.py chat`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated

import typer

from assistant.types import Scope
from ui.command_parts import LOCAL_PERSON, Compose, Home, User, opened, plain_errors

_PROMPT = "> "


def add_chat_command(app: typer.Typer, compose: Compose) -> None:
    """Add the command to `app`.

    Args:
        app: the commands it belongs to.
        compose: settings to the parts that answer.
    """

    @app.command()
    def chat(
        user: User = LOCAL_PERSON,
        conversation: Annotated[str, typer.Option(help="Go on with this conversation.", metavar="C")] = "",
        home: Home = None,
    ) -> None:
        """Talk in the terminal; lines may also come from a file or a pipe."""
        from rich.console import Console  # not before it is needed

        from ui.terminal_chat import TerminalChat

        with plain_errors(), opened(compose, home) as services:
            services.start()
            lines = _typed() if sys.stdin.isatty() else _piped()
            TerminalChat(services, Scope(user), Console(highlight=False, emoji=False), conversation).run(lines)


def _typed() -> Iterator[str]:
    """Lines of a person, who can go back to earlier ones of this conversation; they are written down nowhere."""
    with suppress(ImportError):  # Windows edits lines by itself
        import readline  # noqa: F401  `input` does it with this
    while True:
        try:
            yield input(_PROMPT)
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return


def _piped() -> Iterator[str]:
    """Lines of a file, each shown before it is answered, so that what is written reads like a conversation."""
    for raw in sys.stdin.buffer:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        sys.stdout.write(f"{_PROMPT}{line}\n")
        sys.stdout.flush()
        yield line
