"""The command line: the operations as commands, and what only a host does.

Answers go to standard output, everything else to standard error. Exit codes: 0 done, 1 it did not work (one sentence
says why), 2 the command was not understood.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import Annotated, Any

import typer

from assistant import __version__
from ui.actions.table import GROUPS
from ui.terminal.command_parts import Compose, PlainErrors, echo
from ui.terminal.generated import add_command, command_name
from ui.terminal.host_commands import Pull, Restore, Serve, add_host_commands, embedder_commands, models_commands, start

_COLUMNS = 100
_HOST = "serve, chat, password, restore, models, embedder"


class Grouped(PlainErrors):
    """Commands whose help is on one screen: their names by topic."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `noted memory NAME`, as scripts of hosts have it, for `noted NAME`."""
        return super().parse_args(ctx, args[1:] or ["--help"] if args[:1] == ["memory"] else args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; hints of operations write its name with `_`."""
        return super().get_command(ctx, cmd_name.replace("_", "-"))

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  it writes by itself
        echo("\n".join(_help()))


def _help() -> Iterator[str]:
    yield "Usage: noted [COMMAND]        without a command, the page is served\n"
    yield "Noted is a chat assistant that shows how it understood you, and remembers when you correct it.\n"
    for group, operations in GROUPS.items():
        names = ", ".join(map(command_name, operations))
        yield fill(f"{group + ':':<20}{names}", _COLUMNS, subsequent_indent=" " * 20)
    yield f"{'Host:':<20}{_HOST}"
    yield "\n`noted COMMAND --help` explains one; `--json` prints a result for programs, `--version` the version."
    yield "A command is about the last answer, and about what was saved last, unless you name another."


def command_line(compose: Compose, serve: Serve, restore: Restore, pull_embedder: Pull) -> typer.Typer:
    """Return the commands. `serve` shows the page, until it is stopped."""
    app = typer.Typer(cls=Grouped, invoke_without_command=True, pretty_exceptions_enable=False, add_completion=False)

    @app.callback()
    def noted(
        context: typer.Context,
        *,
        version: Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True)] = False,
    ) -> None:
        if version:
            echo(f"noted {__version__}")
        elif context.invoked_subcommand is None:
            start(serve)

    for operations in GROUPS.values():
        for operation in operations:
            add_command(app, operation, compose)
    add_host_commands(app, compose, serve, restore)
    app.add_typer(models_commands(compose), name="models")
    app.add_typer(embedder_commands(pull_embedder), name="embedder")
    return app
