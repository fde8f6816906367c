"""Generate commands from the table of operations.

Required arguments, entries and free text are positional, free text to the end of the line; others are options.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, get_args

import typer
from pydantic.fields import FieldInfo
from typer.main import get_command

from assistant.errors import HeaderUnclear, InputError
from assistant.text.cleaning import clean_for_terminal
from assistant.text.tables import decode
from ui.actions.memory import erases
from ui.actions.operation import Operation, Role, Who, role_of
from ui.actions.results import count_all, file_of
from ui.actions.table import GROUPS, OPERATIONS
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import Client, Compose, Home, HomeClient, Plain, Yes, agree, decode_input, say
from ui.terminal.show import print_json, show
from ui.words.texts import ENGLISH

User = Annotated[str, typer.Option("--user", help="Whose memory it is.", metavar="NAME")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object and nothing else.")]
OutFile = Annotated[Path, typer.Argument(metavar="FILE", help="Where to; - prints it.")]

_COLUMNS = 100
_SURE: Mapping[str, str] = {
    "forget": "Erase this entry for good?",
    "forget_everything": "Erase everything about this user for good?",
    "erase_conversation": "Erase this conversation for good?",
    "forget_practice": "Erase what was learnt from these questions?",
    "offer": ENGLISH["offer_sure"],
    "accept": ENGLISH["offer_accept_sure"],
    "decline": "It cannot be offered again until its owner changes it. Decline it?",
}
"""Confirmations asked before an operation."""


def add_command(app: typer.Typer, operation: Operation[Any, Any], compose: Compose) -> None:
    """Add the command of an operation."""
    fields = operation.arguments.model_fields

    def command(context: typer.Context, **told: Any) -> None:
        home, user = told.pop("home", None), told.pop("user", LOCAL_PERSON)
        as_json, yes, out = told.pop("as_json", False), told.pop("yes", False), told.pop("out", None)
        if context.obj and (home is not None or user != LOCAL_PERSON):
            raise InputError("A conversation is with one user on one home. Please leave out --user and --home.")
        client: Client = context.obj or HomeClient(compose, home, user)  # set in a chat
        sent = {name: _sent(value, fields[name]) for name, value in told.items() if value not in (None, [])}
        if operation.name in _SURE and not yes:
            question = _SURE[operation.name]
            if operation.name in {"forget", "forget_everything"}:
                *_, takes = client.results(erases, sent)
                question += f" With it goes: {count_all(takes['result'])}."
            agree(question)
        results = _with_header(operation, sent, client)
        raise typer.Exit(print_json(results) if as_json else show(operation, sent, results, client, out))

    parameters = [_parameter("context", typer.Context)]
    # Free text comes last, since it extends to the end of the line.
    in_order = sorted(fields.items(), key=lambda one: role_of(one[1]) is Role.WORDS)
    parameters += [_parameter_of(name, field) for name, field in in_order]
    if operation.shows is file_of:
        parameters.append(_parameter("out", OutFile, Path("-")))
    if operation.who is not Who.HOST:
        parameters.append(_parameter("user", User, LOCAL_PERSON))
    parameters += [_parameter("home", Home, None), _parameter("as_json", AsJson, False)]
    parameters += [_parameter("yes", Yes, False)] if operation.name in _SURE else []
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = operation.description
    app.command(command_name(operation))(command)


def _with_header(operation: Operation[Any, Any], sent: Plain, client: Client) -> Iterator[Plain]:
    """Yield the results; if it is unclear whether a table has a header, ask, or assume one without a terminal."""
    try:
        yield from client.results(operation, sent)
    except HeaderUnclear as unclear:
        has_header = True
        if sys.stdin.isatty() and sys.stderr.isatty():
            has_header = typer.confirm(clean_for_terminal(str(unclear)), err=True)
        else:
            say(f"{unclear} It was taken as one and left out; say --no-header if it is none.", err=True)
        yield from client.results(operation, {**sent, "header": has_header})


def run_in_chat(app: typer.Typer, words: Sequence[str], client: Client) -> None:
    """Run a command in a chat. Raises NotedError."""
    operation = OPERATIONS.get(words[0].replace("-", "_"))
    if operation is None or operation.who is Who.HOST:
        raise InputError(f"There is no /{words[0]} here. /help lists what there is.")
    with suppress(SystemExit):
        get_command(app).main([command_name(operation), *words[1:]], "", standalone_mode=True, obj=client)


def command_name(operation: Operation[Any, Any]) -> str:
    """Return the command name of an operation."""
    return operation.name.replace("_", "-")


def topics(prefix: str = "", *, of_hosts: bool = True) -> Iterator[str]:
    """Yield the command names by topic, for help."""
    for topic, operations in GROUPS.items():
        names = [prefix + command_name(one) for one in operations if of_hosts or one.who is not Who.HOST]
        yield fill(f"{topic + ':':<20}{', '.join(names)}", _COLUMNS, subsequent_indent=" " * 20, break_on_hyphens=False)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _parameter_of(name: str, field: FieldInfo) -> inspect.Parameter:
    """Return the command parameter for an argument of an operation."""
    role = role_of(field)
    default: Any = inspect.Parameter.empty
    kind: Any = typer.FileBinaryRead if role is Role.FILE else field.annotation
    if role is Role.WORDS:
        kind = list[str]
    if not field.is_required():
        kind, default = kind | None, field.default or None
    if field.is_required() or role in {Role.ENTRY, Role.WORDS}:
        told: Any = typer.Argument(
            metavar="FILE" if role is Role.FILE else name.upper(), help=field.description, show_default=False
        )
    else:
        named = f"--{name.replace('_', '-')}"
        named += f"/--no-{named[2:]}" if bool in get_args(field.annotation) else ""
        told = typer.Option(named, help=field.description)
    return _parameter(name, Annotated[kind, told], default)


def _sent(value: Any, field: FieldInfo) -> Any:
    """Convert a command argument to an operation argument."""
    role = role_of(field)
    if role is Role.WORDS:
        words = " ".join(value)
        return decode_input(sys.stdin.buffer.read()) if words == "-" else words
    if role is Role.FILE:
        text = decode(value.read())
        return text.splitlines() if field.annotation is not str else text
    return str(value.absolute()) if isinstance(value, Path) else value
