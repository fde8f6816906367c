"""What the commands share: their options, the parts that they use, and how they say what went wrong."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from time import monotonic
from typing import Annotated, Any, Protocol

import typer
from typer.core import TyperGroup

from assistant.errors import InputError, NotedError
from assistant.papers.expnote.drafts import State
from assistant.reports.upkeep import Progress
from assistant.settings import Settings
from assistant.text.cleaning import printable
from assistant.types import Entry, Scope, Turn
from ui.server.process import prepare_process
from ui.server.services import Services
from ui.words.answers import in_a_line

SHORT = 8
"""Characters of an id that are shown."""

LONGEST_NUMBER = 9
"""Digits of a number that is typed."""

_LENGTH_OF_AN_ID = 36
_ALL = 1_000_000
_SECONDS = 1.0  # between two lines that say how far something is

User = Annotated[str, typer.Option("--user", help="Whose memory it is.", metavar="U")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Home = Annotated[str | None, typer.Option("--home", help="The data directory.", metavar="DIR")]
EntryId = Annotated[
    str, typer.Argument(metavar="ENTRY", help="Id of the entry, or how it begins; `memory list` shows it.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]
REACHES = "For which questions it counts: this one, those asked in this way, or those of its conversation."

Compose = Callable[[Settings], Services]


class PlainErrors(TyperGroup):
    """Commands that say what went wrong as one sentence and an exit code."""

    input_errors: tuple[type[NotedError], ...] = ()  # these end with 2, all others with 1
    stopped = "Stopped."

    def main(self, *args: Any, **named: Any) -> Any:
        prepare_process()
        return super().main(*args, **named)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except NotedError as error:
            echo(str(error), err=True)
            raise typer.Exit(2 if isinstance(error, self.input_errors) else 1) from None
        except KeyboardInterrupt:
            echo(self.stopped, err=True)
            raise typer.Exit(130) from None


@contextmanager
def opened(compose: Compose, home: str | None) -> Iterator[Services]:
    """The parts over a data directory, closed at the end."""
    services = compose(Settings.load(home=home))
    try:
        yield services
    finally:
        services.close()


@contextmanager
def opened_there(compose: Compose, home: str | None) -> Iterator[Services]:
    """`opened`, where a memory is there already. Raises InputError: there is none, and none is made."""
    settings = Settings.load(home=home)
    if not settings.has_memory:
        raise InputError(f"There is no memory in {settings.home} yet. Please ask something first, or say --home DIR.")
    with opened(compose, home) as services:
        yield services


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[list[int]]:
    """Within the block, Ctrl-C does this, and breaks off nothing in the middle as a `KeyboardInterrupt` would.

    What it does waits for no lock. Yields the signals that came, as they come.
    """
    came: list[int] = []

    def handle(number: int, _frame: object) -> None:
        came.append(number)
        act()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def bar(what: str, total: int) -> Iterator[tuple[list[int], Callable[[], None]]]:
    """A bar of what is done until Ctrl-C: the signals that came, as they come, and what moves the bar by one."""
    from rich.console import Console  # not before it is needed
    from rich.progress import Progress

    with (
        on_interrupt(lambda: None) as interrupts,
        Progress(console=Console(stderr=True, highlight=False), transient=True) as progress,
    ):
        task = progress.add_task(what, total=total)
        yield interrupts, lambda: progress.advance(task)


def agree(question: str, *, yes: bool) -> None:
    """Ask, unless it was said already. Raises InputError: it was denied, or nobody can be asked."""
    if not (yes or agreed(question)):
        raise InputError("Nothing was changed. Say --yes to do it.")


def agreed(question: str) -> bool:
    """Whether whoever is at the terminal says yes; where nobody is, no."""
    try:
        return typer.confirm(printable(question), err=True)
    except typer.Abort:
        return False


def now_and_then() -> Progress:
    """Shows how far something is, once a second at most; what takes less shows nothing."""
    shown = monotonic()

    def tell(line: str) -> None:
        nonlocal shown
        if monotonic() - shown >= _SECONDS:
            echo(line, err=True)
            shown = monotonic()

    return tell


def entry_named(services: Services, start: str, scope: Scope, besides: Iterable[Entry] = ()) -> str:
    """The id of the person's entry that begins so, as `memory list` shows it, or of one `besides` those that count;
    what begins none is taken as it is.

    Raises InputError: several begin so.
    """
    known = services.assistant.memory.entries(scope, limit=_ALL) if len(start) < _LENGTH_OF_AN_ID else ()
    ids = sorted({entry.id for entry in chain(known, besides) if entry.id.startswith(start)})
    if len(ids) > 1:
        raise InputError("Several entries begin like this. Please write more of the id.")
    return ids[0] if ids else start


class Print(Protocol):
    """Where what commands say goes: to standard output, or to standard error."""

    def __call__(self, text: str, /, *, err: bool) -> object: ...


def _to_this_terminal(text: str, /, *, err: bool) -> None:
    typer.echo(text, err=err, nl=False)


_print: ContextVar[Print] = ContextVar("print", default=_to_this_terminal)


@contextmanager
def printing_to(other: Print) -> Iterator[None]:
    """Within the block, and in this thread, what commands say goes elsewhere."""
    token = _print.set(other)
    try:
        yield
    finally:
        _print.reset(token)


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text of whoever, to standard output or standard error: no commands to the terminal."""
    echo_as_it_is(printable(text) + ("\n" if nl else ""), err=err)


def echo_as_it_is(text: str, /, *, err: bool) -> None:
    """Print a text that was made printable already."""
    _print.get()(text, err=err)


def print_json(value: object) -> None:
    """Print a value as one line of JSON in ASCII, which every terminal and pipe takes as it is."""
    echo_as_it_is(json.dumps(value) + "\n", err=False)


def show_draft(services: Services, turn: Turn) -> None:
    """What was drafted of what was said just now, once that is done."""
    services.settle()
    draft = services.lessons.draft(services.assistant.turn(turn.id, Scope(turn.person)))
    if draft and draft.state is State.PROPOSED:
        echo(f"{in_a_line(draft)} (`lesson keep`, or drop)", err=True)


def which(command: str, words: str, number: int) -> int:
    """The place of the one of so many that is meant; where there is only one, that. Raises InputError."""
    # Python makes no number of thousands of digits.
    chosen = int(words) if words.isdecimal() and len(words) <= LONGEST_NUMBER else 0 if words else 1
    if not 1 <= chosen <= number or (number > 1 and not words):
        raise InputError(f"Please say which, from 1 to {number}, as in: {command} 1")
    return chosen - 1
