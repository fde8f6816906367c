"""The command that shows which lessons were drafted of what was said of answers, and says what becomes of them."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import Annotated

import typer

from assistant.errors import InputError
from assistant.types import Scope
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.command_parts import AsJson, Compose, Home, User, echo, opened_there, print_json, show_draft
from ui.terminal.why_commands import last_answered
from ui.words.lessons import in_a_line


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
                shown = [services.lessons.decide(act, named, scope, as_words)]
            else:
                shown = [one for one, _ in services.lessons.open(scope)]
            drafts = [(one, draft) for one in shown if (draft := services.lessons.draft(one))]
            if as_json:
                print_json([{"turn": one.id, "lesson": draft.shown, "state": draft.state} for one, draft in drafts])
                return
            for one, draft in drafts:
                echo(f"{one.id}  {in_a_line(draft)}" if act is None else in_a_line(draft))
            if not drafts:
                echo("No drafted lesson waits.", err=True)


def show_last_draft(services: Services, scope: Scope) -> None:
    """What was drafted of what was said just now, if it was answered."""
    with suppress(InputError):
        show_draft(services, last_answered(services, scope))
