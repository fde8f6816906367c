"""The commands that say why an answer was given, and take in what is said of that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Protocol

import typer

from assistant.conversation import Assistant
from assistant.errors import InputError
from assistant.events import Event, RunSoFar
from assistant.papers.teachme.teaching import Act, Teaching
from assistant.types import Scope, Turn, TurnState
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.answer import because
from ui.terminal.command_parts import (
    AsJson,
    Compose,
    EntryId,
    Home,
    User,
    Yes,
    agree,
    echo,
    entry_named,
    opened,
    print_json,
    show_draft,
)
from ui.words.answers import why as why_of
from ui.words.texts import ENGLISH


class Answer(Protocol):
    """Shows an answer as it comes."""

    def __call__(self, assistant: Assistant, events: Iterator[Event], *, as_json: bool) -> None: ...


def add_why_commands(app: typer.Typer, compose: Compose, answer: Answer) -> None:
    """Add the commands."""
    _add_why(app, compose, answer)

    @app.command()
    def undo(entry: EntryId, user: User = LOCAL_PERSON, home: Home = None) -> None:
        """Take an entry back, with the answers that were made with it."""
        with opened(compose, home) as services:
            scope = Scope(user)
            Teaching(services.assistant).undo(entry_named(services, entry, scope), scope)
            echo("Taken back.", err=True)


def _add_why(app: typer.Typer, compose: Compose, answer: Answer) -> None:
    @app.command()
    def why(  # noqa: PLR0913 (each is an option of the command)
        turn: Annotated[str, typer.Argument(help="Id of the turn; without it, the last one that has an answer.")] = "",
        wrong: Annotated[int, typer.Option(help="This reason is not so.", metavar="N")] = 0,
        it_is: Annotated[str, typer.Option(help="What is so instead of the one that is wrong.")] = "",
        does_not_matter: Annotated[int, typer.Option(help="This reason does not matter here.", metavar="N")] = 0,
        missing: Annotated[str, typer.Option(help="A fact that is missing.")] = "",
        the_answer: Annotated[str, typer.Option("--answer", help="What the answer is.")] = "",
        true: Annotated[int, typer.Option(help="This reason is so, though it is not believed.", metavar="N")] = 0,
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        does_not_follow: Annotated[bool, typer.Option("--does-not-follow", help="It does not follow.")] = False,
        as_json: AsJson = False,
        yes: Yes = False,
    ) -> None:
        """Say why an answer was given; or put a reason right, and have the question answered again."""
        said: dict[Act, tuple[int, str]] = {
            Act.WRONG: (wrong, it_is),
            Act.DOES_NOT_MATTER: (does_not_matter, ""),
            Act.DOES_NOT_FOLLOW: (int(does_not_follow), ""),
            Act.MISSING: (0, missing),
            Act.ANSWER: (0, the_answer),
            Act.TRUE: (true, ""),
        }
        acts = [(act, *told) for act, told in said.items() if any(told)]
        if len(acts) > 1 or (it_is and not wrong):
            raise InputError("Please say one thing at a time; --it-is goes with --wrong.")
        if does_not_follow:
            agree(ENGLISH["why_not_follow_sure"], yes=yes)
        with opened(compose, home) as services:
            teaching, scope = Teaching(services.assistant), Scope(user)
            named = turn or last_answered(services, scope).id
            if not acts:
                _show(teaching, named, scope, as_json=as_json)
                return
            ((act, number, words),) = acts
            happened: list[Event] = []
            answer(
                services.assistant,
                _noting(teaching.dispute(named, act, scope, number, words), happened),
                as_json=as_json,
            )
            answered = RunSoFar().after(happened).turn
            if asks := teaching.asks_back(answered):
                echo(str(asks), err=True)
            if not as_json:
                show_draft(services, answered)


def _noting(events: Iterator[Event], happened: list[Event]) -> Iterator[Event]:
    for event in events:
        happened.append(event)
        yield event


def _show(teaching: Teaching, turn_id: str, scope: Scope, *, as_json: bool) -> None:
    turn = RunSoFar().after(teaching.why(turn_id, scope)).turn
    reasons = teaching.reasons(turn, scope)
    if reasons is None:
        return
    if as_json:
        print_json(why_of(turn, reasons))
        return
    echo(turn.reply.answer)
    for line, _style in because(reasons):
        echo(line)


def last_answered(services: Services, scope: Scope) -> Turn:
    """The last answer of the conversation that was gone on with last. Raises InputError."""
    for conversation in services.conversations.conversations(scope, limit=1):
        for turn in reversed(services.assistant.turns(conversation.id, scope)):
            if turn.state is TurnState.ANSWERED:
                return turn
    raise InputError('There is no answer yet. Please ask something first, as in: ask "…"')
