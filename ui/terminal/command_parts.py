"""Shared parts of commands: clients, options, error messages, confirmation, progress and output."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperGroup

from assistant.errors import InputError, NotedError
from assistant.reports.upkeep import Progress
from assistant.settings import Settings
from assistant.text.cleaning import clean_for_terminal
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.server.process import prepare_process
from ui.server.services import Services

if TYPE_CHECKING:
    from rich.console import Console

MEMORY_STYLE, QUIET_STYLE, TROUBLE_STYLE = "cyan", "dim", "yellow"
_SECONDS = 1.0  # between two progress lines

Home = Annotated[str | None, typer.Option("--home", help="The data directory.", metavar="DIR")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]

Compose = Callable[[Settings], Services]
Plain = dict[str, Any]
# Operations that may create the memory.
_MAY_BEGIN = {"ask", "remember", "import", "import_sheet", "learn", "practice", "questions", "token", "rebuild"}


class PlainErrors(TyperGroup):
    """Commands that end with an error message and an exit code."""

    input_errors: tuple[type[NotedError], ...] = ()  # exit code 2; all others 1
    stopped = "Stopped."

    def main(self, *args: Any, **named: Any) -> Any:
        prepare_process()
        return super().main(*args, **named)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except NotedError as error:
            say(str(error), err=True)
            raise typer.Exit(2 if isinstance(error, self.input_errors) else 1) from None
        except KeyboardInterrupt:
            say(self.stopped, err=True)
            raise typer.Exit(130) from None


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[list[int]]:
    """Handle Ctrl-C by `act` during the block, without KeyboardInterrupt; yield the list of signals received."""
    came: list[int] = []

    def handle(number: int, _frame: object) -> None:
        came.append(number)
        act()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


def agree(question: str) -> None:
    """Ask for confirmation. Raises InputError: denied, or standard input is empty."""
    if sys.stdin.isatty():
        try:
            agreed = typer.confirm(clean_for_terminal(question), err=True)
        except typer.Abort:
            agreed = False
    else:
        say(f"{question} [y/N]: ", err=True)
        # One line only: in a conversation, others follow.
        agreed = decode_input(sys.stdin.buffer.readline()).strip().lower() in {"y", "yes"}
    if not agreed:
        raise InputError("Nothing was changed. Say --yes to do it.")


def throttled_progress() -> Progress:
    """Return a function that prints progress, once a second at most and not in the first second."""
    shown = monotonic()

    def tell(line: str) -> None:
        nonlocal shown
        if monotonic() - shown >= _SECONDS:
            say(line, err=True)
            shown = monotonic()

    return tell


def say(text: str = "", style: str = "", end: str = "\n", *, err: bool = False) -> None:
    """Print text of any user: without markup, terminal escapes or wrapping."""
    from rich.text import Text  # imported late

    console(err=err).print(Text(clean_for_terminal(text), style), end=end, soft_wrap=True)


def console(*, err: bool) -> Console:
    """Return a rich console for standard output or standard error."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, emoji=False, markup=False)


def decode_input(written: bytes) -> str:
    """Decode bytes as UTF-8, else in the encoding of standard input, with U+FFFD for invalid bytes."""
    try:
        return written.decode()
    except UnicodeDecodeError:
        return written.decode(sys.stdin.encoding, "replace")


def write_file(file: Path, text: str) -> None:
    """Write a file that only its owner may read; `-` is standard output. Raises InputError."""
    if str(file) == "-" and sys.stdout.isatty():
        say(text, end="")
        return
    if str(file) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())  # keep UTF-8, or an export could not be imported again
        return
    try:
        file.touch(mode=0o600)
        if file.is_file():  # it may have existed with other permissions
            file.chmod(0o600)
        file.write_bytes(text.encode())
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class HomeClient:
    """Client of a home, which it opens for one operation; a server may have it open too."""

    compose: Compose
    home: str | None
    user: str
    prefix: ClassVar[str] = "noted "  # prefix of its commands

    def results(self, operation: Operation[Any, Any], sent: Plain) -> Iterator[Plain]:
        """Yield the results of an operation, each cumulative. Raises NotedError, KeyboardInterrupt."""
        settings = Settings.load(home=self.home)
        if not (settings.has_memory or operation.name in _MAY_BEGIN):
            raise InputError(
                f"There is no memory in {settings.home} yet. Please ask something first, or say --home DIR."
            )
        with closing(self.compose(settings)) as services:
            client = ServicesClient(services, Scope(self.user))
            yield from client.results(operation, sent)
            if operation.streams:
                services.settle()  # background drafts would end with this process


@dataclass(frozen=True, slots=True)
class ServicesClient:
    """Client of services in this process; Ctrl-C stops the run and keeps its partial results."""

    services: Services
    scope: Scope
    conversation: str = ""
    prefix: ClassVar[str] = "/"

    def results(self, operation: Operation[Any, Any], sent: Plain) -> Iterator[Plain]:
        """Yield the results of an operation, each cumulative. Raises NotedError, KeyboardInterrupt."""
        call = Call(self.services, self.scope, conversation=self.conversation, progress=throttled_progress())
        with on_interrupt(call.stop) as interrupts:
            yield from operation.results(call, sent)
            if interrupts:
                call.wait()
                raise KeyboardInterrupt


Client = HomeClient | ServicesClient
"""A client calls operations for one user."""
