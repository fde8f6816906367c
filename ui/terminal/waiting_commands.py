"""The commands for what waits for a person's word: what is proposed to be kept of a message, and drafted lessons."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import Annotated

import typer

from assistant.errors import InputError
from assistant.proposals import State
from assistant.types import Scope
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.command_parts import AsJson, Compose, Home, User, echo, opened_there, print_json, show_draft
from ui.terminal.why_commands import last_answered
from ui.words.answers import in_a_line, proposed, shown_line

_NONE_WAITS = "No drafted lesson waits."


def add_keep_command(app: typer.Typer, compose: Compose) -> None:
    """Add the command."""

    @app.command()
    def keep(
        number: Annotated[
            int, typer.Argument(help="Of the proposal that is to be kept; without it, all are shown.")
        ] = 0,
        turn: Annotated[str, typer.Option(help="Id of the answer; without it, the last one.")] = "",
        as_line: Annotated[str, typer.Option("--as", help="As this says: thing | what of it | other thing.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        drop: Annotated[bool, typer.Option("--drop", help="It is not to be kept.")] = False,
        undo: Annotated[bool, typer.Option("--undo", help="Take back what was said of it.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Show what is proposed to be kept of a message; keep it, change it, drop it, or take that back."""
        if sum((bool(as_line), drop, undo)) > 1 or ((as_line or drop or undo) and not number):
            raise InputError("Please say one thing of one proposal, as in: keep 1 --drop")
        with opened_there(compose, home) as services:
            scope, triples = Scope(user), services.triples
            named = turn or last_answered(services, scope).id
            if number:
                triples.decide("drop" if drop else "undo" if undo else "keep", named, number, scope, as_line)
            proposals = triples.of(services.assistant.turn(named, scope), scope)
            if as_json:
                print_json({"turn": named, "proposed": proposed(proposals)})
                return
            for proposal in proposals:
                echo(f"{proposal.number}. {shown_line(proposal)}")
            if not proposals:
                echo("Nothing is proposed of this message.", err=True)


def show_proposals(services: Services, scope: Scope) -> None:
    """What is proposed of the message that was answered last."""
    turn = last_answered(services, scope)
    for proposal in services.triples.of(turn, scope):
        command = f"keep {proposal.number}" + (" --undo" if proposal.state is State.KEPT else "")
        echo(f"On your fact sheet? {shown_line(proposal)} (`{command}`)", err=True)


class LessonAct(StrEnum):
    """What becomes of a draft."""

    KEEP = "keep"
    DROP = "drop"
    UNDO = "undo"


def add_lesson_command(app: typer.Typer, compose: Compose) -> None:
    """Add the command."""

    @app.command()
    def lesson(
        act: Annotated[LessonAct | None, typer.Argument(help="What becomes of it; without, all that wait.")] = None,
        turn: Annotated[str, typer.Argument(help="Id of the answer; without it, the last one.")] = "",
        as_words: Annotated[str, typer.Option("--as", help="Keep it in these words.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        as_json: AsJson = False,
    ) -> None:
        """Show the drafted lessons that wait; keep one, drop it, or take that back."""
        if as_words and act is not LessonAct.KEEP:
            raise InputError("Please say what is kept in these words, as in: lesson keep --as “…”")
        with opened_there(compose, home) as services:
            scope = Scope(user)
            if act:
                named = turn or last_answered(services, scope).id
                decided = services.lessons.decide(act, named, 1, scope, as_words)
                drafts = [(decided, draft) for draft in services.lessons.of(decided, scope)]
            else:
                drafts = [*services.lessons.waiting(scope)]
            if as_json:
                print_json([{"turn": one.id, "lesson": draft.said.rule, "state": draft.state} for one, draft in drafts])
                return
            for one, draft in drafts:
                echo(f"{one.id}  {in_a_line(draft)}" if act is None else in_a_line(draft))
            if not drafts:
                echo(_NONE_WAITS, err=True)


def waiting_lessons(services: Services, scope: Scope) -> list[str]:
    """The drafted lessons that wait, each in a line with the question that it is from."""
    lines = [f"{in_a_line(draft)} (from: {turn.question})" for turn, draft in services.lessons.waiting(scope)]
    return lines or [_NONE_WAITS]


def show_last_draft(services: Services, scope: Scope) -> None:
    """What was drafted of what was said just now, if it was answered."""
    with suppress(InputError):
        show_draft(services, last_answered(services, scope))
