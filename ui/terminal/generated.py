"""Commands that are generated from the table of operations, with the arguments of each.

Required arguments, entries and free text are positional, free text up to the end of the line; the others are options.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args

import typer
from pydantic.fields import FieldInfo
from typer.main import get_command

from assistant.errors import HeaderUnclear, InputError
from assistant.text.cleaning import printable
from assistant.text.decoding import decode
from ui.actions.memory import erases
from ui.actions.operation import Operation, Role, Who, role_of
from ui.actions.results import File, all_counted
from ui.actions.table import OPERATIONS
from ui.server.identity import LOCAL_PERSON
from ui.terminal.client import Client, HomeClient, Plain
from ui.terminal.command_parts import Compose, Home, Yes, agree, decoded, echo, reading
from ui.terminal.show import print_json, show
from ui.words.texts import ENGLISH

User = Annotated[str, typer.Option("--user", help="Whose memory it is.", metavar="NAME")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object and nothing else.")]
OutFile = Annotated[Path, typer.Argument(metavar="FILE", help="Where to; - prints it.")]

_SURE: Mapping[str, str] = {
    "forget": "Erase this entry for good?",
    "forget_everything": "Erase everything about this user for good?",
    "erase_conversation": "Erase this conversation for good?",
    "forget_practice": "Erase what was learnt from these questions?",
    "offer": ENGLISH["offer_sure"],
    "accept": ENGLISH["offer_accept_sure"],
    "decline": "It cannot be offered again until its owner changes it. Decline it?",
}
"""What is asked before an operation is carried out."""


def add_command(app: typer.Typer, operation: Operation[Any, Any], compose: Compose) -> None:
    """Add the command of an operation."""
    fields = operation.arguments.model_fields

    def command(context: typer.Context, **told: Any) -> None:
        home, user = told.pop("home", None), told.pop("user", LOCAL_PERSON)
        as_json, yes, out = told.pop("as_json", False), told.pop("yes", False), told.pop("out", None)
        if context.obj and (home is not None or user != LOCAL_PERSON):
            raise InputError("A conversation is with one user on one home. Please leave out --user and --home.")
        client: Client = context.obj or HomeClient(compose, home, user)  # a conversation brings its own
        sent = {name: _sent(value, fields[name]) for name, value in told.items() if value not in (None, [])}
        if operation.name in _SURE:
            agree(_question(operation, sent, client), yes=yes)
        results = _with_header(operation, sent, client)
        if as_json:
            raise typer.Exit(print_json(results))
        raise typer.Exit(show(operation, sent, results, client, out))

    parameters = [_parameter("context", typer.Context)]
    positional = [one for one in fields.items() if _is_positional(one[1])]
    # Free text goes on to the end of the line.
    positional.sort(key=lambda one: role_of(one[1]) is Role.WORDS)
    parameters += [_parameter(name, _positional(name, field), _default(field)) for name, field in positional]
    if operation.shows and inspect.signature(operation.shows, eval_str=True).return_annotation is File:
        parameters.append(_parameter("out", OutFile, Path("-")))
    options = [one for one in fields.items() if not _is_positional(one[1])]
    parameters += [_parameter(name, _option(name, field), _default(field)) for name, field in options]
    if operation.who is not Who.HOST:
        parameters.append(_parameter("user", User, LOCAL_PERSON))
    parameters += [_parameter("home", Home, None), _parameter("as_json", AsJson, False)]
    parameters += [_parameter("yes", Yes, False)] if operation.name in _SURE else []
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = operation.description
    app.command(command_name(operation))(command)


Run = Callable[[Sequence[str], Client], object]
"""Carries out a command, given as words, for a client."""


def run_in_chat(app: typer.Typer) -> Run:
    """Return what carries out a command in a conversation. Raises NotedError."""
    group = get_command(app)

    def run(words: Sequence[str], client: Client) -> None:
        operation = OPERATIONS.get(words[0].replace("-", "_"))
        if operation is None or operation.who is Who.HOST:
            raise InputError(f"There is no /{words[0]} here. /help lists what there is.")
        with suppress(SystemExit):
            group.main([*words], "", standalone_mode=True, obj=client)

    return run


def command_name(operation: Operation[Any, Any]) -> str:
    """Return how an operation is called at the command line."""
    return operation.name.replace("_", "-")


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _is_positional(field: FieldInfo) -> bool:
    return field.is_required() or role_of(field) in {Role.ENTRY, Role.WORDS}


def _default(field: FieldInfo) -> Any:
    if field.is_required():
        return inspect.Parameter.empty
    return None if role_of(field) is Role.FILE or field.default in ("", ()) else field.default


def _positional(name: str, field: FieldInfo) -> Any:
    role, kind = role_of(field), field.annotation
    if role is Role.WORDS:
        kind = list[str]
    elif role is Role.FILE:
        kind = Path
    elif not field.is_required():
        kind = str | None
    return Annotated[kind, typer.Argument(metavar=name.upper(), help=field.description, show_default=False)]


def _option(name: str, field: FieldInfo) -> Any:
    kind: Any = field.annotation
    if role_of(field) is Role.FILE:
        kind = Path
    optional = kind if isinstance(kind, UnionType) or type(None) in get_args(kind) else kind | None
    named = f"--{name.replace('_', '-')}"
    if bool in {kind, *get_args(kind)}:
        named = f"{named}/--no-{named[2:]}" if field.default is None else named
    return Annotated[optional, typer.Option(named, help=field.description)]


def _sent(value: Any, field: FieldInfo) -> Any:
    """Return an argument as programs send it."""
    role = role_of(field)
    if role is Role.WORDS:
        words = " ".join(value)
        return decoded(sys.stdin.buffer.read()) if words == "-" else words
    if role is Role.FILE:
        with reading(value) as file:
            text = decode(file.read())
        return text.splitlines() if field.annotation is not str else text
    return str(value.absolute()) if isinstance(value, Path) else value


def _question(operation: Operation[Any, Any], sent: Plain, client: Client) -> str:
    """Return what is asked before it is done, with what would go along."""
    if not operation.name.startswith("forget") or operation.name == "forget_practice":
        return _SURE[operation.name]
    *_, takes = client.results(erases, sent)
    return f"{_SURE[operation.name]} With it goes: {all_counted(takes['result'])}."


def _with_header(operation: Operation[Any, Any], sent: Plain, client: Client) -> Iterator[Plain]:
    """Yield the results; ask whether a table has a header where that is unclear. Where nobody can be asked, it has."""
    try:
        yield from client.results(operation, sent)
    except HeaderUnclear as unclear:
        has_header = True
        if sys.stdin.isatty() and sys.stderr.isatty():
            has_header = typer.confirm(printable(str(unclear)), err=True)
        else:
            echo(f"{unclear} It was taken as one and left out; say --no-header if it is none.", err=True)
        yield from client.results(operation, {**sent, "header": has_header})
