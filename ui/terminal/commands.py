"""Commands and slash commands, generated from the table of operations, and the chat in a terminal.

Required arguments, entries and free text are positional, free text to the end of the line; others are options.
"""

from __future__ import annotations

import inspect
import signal
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, get_args

import typer
from pydantic.fields import FieldInfo
from typer.main import get_command

from assistant.errors import HeaderUnclear, InputError, NotedError
from assistant.reports.upkeep import Progress, ignore_progress
from assistant.settings import Settings
from assistant.text.tables import decode
from assistant.types import Scope
from ui.actions.answering import ask
from ui.actions.call import Call
from ui.actions.memory import erases
from ui.actions.operation import Operation, Role, Who, role_of
from ui.actions.results import File
from ui.actions.table import GROUPS, OPERATIONS
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.output import QUIET_STYLE, TROUBLE_STYLE, Plain, agree, confirm, decode_input, print_json, say, show
from ui.words.texts import ENGLISH, count_all

Compose = Callable[[Settings], Services]
Home = Annotated[str | None, typer.Option("--home", help="The data directory.", metavar="DIR")]
User = Annotated[str, typer.Option("--user", help="Whose memory it is.", metavar="NAME")]
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object and nothing else.")]
OutFile = Annotated[Path, typer.Argument(metavar="FILE", help="File to write; - prints it.")]

_PROMPT = "> "
_HELP = """\
Ask a question. If it was misunderstood, say so in your own words, or use a command:
{commands}

/new starts a conversation, /quit ends the chat, /NAME --help explains a command.
Commands refer to the last answer and the last saved entry, unless you name another. Ctrl-C stops an answer,
or ends the chat if there is none. To begin a message with /, type //."""
_COLUMNS = 100
# Operations that may create the memory.
_MAY_BEGIN = {"ask", "remember", "import", "import_sheet", "learn", "practice", "questions", "token", "rebuild"}
_SURE: Mapping[str, str] = {
    "forget": "Permanently erase this entry?",
    "forget_everything": "Permanently erase everything about this user?",
    "erase_conversation": "Permanently erase this conversation?",
    "forget_practice": "Erase what was learnt from these questions?",
    "offer": ENGLISH["offer_sure"],
    "accept": ENGLISH["offer_accept_sure"],
    "decline": "It cannot be offered again until its owner changes it. Decline it?",
}
"""Confirmations asked before an operation."""


@dataclass(frozen=True, slots=True)
class Client:
    """Calls operations for one user; Ctrl-C stops the run and keeps its partial results."""

    services: Services
    scope: Scope
    conversation: str = ""
    prefix: str = "/"  # of commands in hints

    def results(self, operation: Operation[Any, Any], sent: Plain, progress: Progress) -> Iterator[Plain]:
        """Yield the results of an operation, each cumulative. Raises NotedError, KeyboardInterrupt."""
        call = Call(self.services, self.scope, conversation=self.conversation, progress=progress)
        interrupts: list[int] = []

        def stop(number: int, _frame: object) -> None:
            interrupts.append(number)
            call.stop()

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield from operation.results(call, sent)
            if interrupts:
                call.wait()
                raise KeyboardInterrupt
        finally:
            signal.signal(signal.SIGINT, before)


def add_command(app: typer.Typer, operation: Operation[Any, Any], compose: Compose) -> None:
    """Add the command of an operation."""
    fields = operation.arguments.model_fields

    def perform(sent: Plain, client: Client, as_json: bool, out: Path | None) -> int:
        results = partial(client.results, operation, sent)
        return print_json(results) if as_json else show(operation, sent, results, client.prefix, out)

    def command(context: typer.Context, **told: Any) -> None:
        home, user = told.pop("home"), told.pop("user", LOCAL_PERSON)
        as_json, yes, out = told.pop("as_json"), told.pop("yes", False), told.pop("out", None)
        if context.obj and (home is not None or user != LOCAL_PERSON):
            raise InputError("A chat has one user on one home. Leave out --user and --home.")
        sent = {name: _sent(value, fields[name]) for name, value in told.items() if value not in (None, [])}
        opened = nullcontext(context.obj) if context.obj else _opened(compose, operation, home, user)
        with opened as client:  # it is set in a chat
            if operation.name in _SURE and not yes:
                question = _SURE[operation.name]
                if operation.name in {"forget", "forget_everything"}:
                    *_, takes = client.results(erases, sent, ignore_progress)
                    question += f" This also erases: {count_all(takes['result']) or 'nothing'}."
                agree(question)
            try:
                code = perform(sent, client, as_json, out)
            except HeaderUnclear as unclear:
                code = perform({**sent, "header": _has_header(unclear)}, client, as_json, out)
        raise typer.Exit(code)

    # Free text comes last, since it extends to the end of the line.
    in_order = sorted(fields.items(), key=lambda one: role_of(one[1]) is Role.WORDS)
    parameters = [_parameter("context", typer.Context), *(_parameter_of(name, field) for name, field in in_order)]
    if operation.shown is File:
        parameters.append(_parameter("out", OutFile, Path("-")))
    if operation.who is not Who.HOST:
        parameters.append(_parameter("user", User, LOCAL_PERSON))
    parameters += [_parameter("home", Home, None), _parameter("as_json", AsJson, False)]
    parameters += [_parameter("yes", Yes, False)] if operation.name in _SURE else []
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = operation.description
    app.command(command_name(operation))(command)


@contextmanager
def _opened(compose: Compose, operation: Operation[Any, Any], home: str | None, user: str) -> Iterator[Client]:
    """Open a home for one operation; a server may have it open too. Raises InputError if it has no memory yet."""
    settings = Settings.load(home=home)
    if not (settings.has_memory or operation.name in _MAY_BEGIN):
        raise InputError(f"There is no memory in {settings.home} yet. Ask a question first, or give --home DIR.")
    with closing(compose(settings)) as services:
        yield Client(services, Scope(user), prefix="noted ")
        if operation.streams:
            services.settle()  # background drafts would end with this process


def _has_header(unclear: HeaderUnclear) -> bool:
    """Ask if the first row of a table is its header; without a terminal, say that it is taken as one."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        return confirm(str(unclear))
    say(f"{unclear} It was taken as one and left out; say --no-header if it is none.", err=True)
    return True


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
    kind: Any = typer.FileBinaryRead if role is Role.FILE else list[str] if role is Role.WORDS else field.annotation
    if not field.is_required():
        kind, default = kind | None, field.default or None
    if field.is_required() or role in {Role.ENTRY, Role.WORDS}:
        metavar = "FILE" if role is Role.FILE else name.upper()
        told: Any = typer.Argument(metavar=metavar, help=field.description, show_default=False)
    else:
        option = f"--{name.replace('_', '-')}"
        option += f"/--no-{option[2:]}" if bool in get_args(field.annotation) else ""
        told = typer.Option(option, help=field.description)
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
    return value


def talk(client: Client, app: typer.Typer, lines: Iterable[str]) -> None:
    """Run the lines of a user, in a new conversation, until they end or the user quits."""
    client = replace(client, conversation=str(uuid.uuid4()))
    say(str(client.services.models.note(LOCAL_PERSON)), QUIET_STYLE)
    say(f"{client.services.memory_note(LOCAL_PERSON)} /help says what you can do here.", QUIET_STYLE)
    for line in filter(None, map(str.strip, lines)):
        name, *words = line[1:].split() or [""]
        try:
            if not line.startswith("/") or line.startswith("//"):
                sent = {"question": line.removeprefix("/")}
                show(ask, sent, partial(client.results, ask, sent), client.prefix, None)
            elif name == "quit":
                return
            elif name == "new":
                client = replace(client, conversation=str(uuid.uuid4()))
                say("A new conversation.", QUIET_STYLE)
            elif name in {"", "help"}:
                say(_HELP.format(commands="\n".join(topics("/", of_hosts=False))))
            else:
                operation = OPERATIONS.get(name.replace("-", "_"))
                if operation is None or operation.who is Who.HOST:
                    raise InputError(f"There is no command /{name}. /help lists all commands.")
                with suppress(SystemExit):
                    get_command(app).main([command_name(operation), *words], "", obj=client)
        except NotedError as error:
            say(str(error), TROUBLE_STYLE)
        except KeyboardInterrupt:
            say("Stopped.", TROUBLE_STYLE)
        say("")


def lines_of_a_user() -> Iterator[str]:
    """Yield lines from the terminal, with a history that is not stored, or from a file or pipe, echoing them."""
    if not sys.stdin.isatty():
        for raw in sys.stdin.buffer:
            line = decode_input(raw).rstrip("\r\n")
            say(f"{_PROMPT}{line}")
            yield line
        return
    with suppress(ImportError):  # Windows has its own line editing
        import readline  # noqa: F401  enables line editing in `input`
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            yield input(_PROMPT)
    say("")
