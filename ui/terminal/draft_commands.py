"""The command that has a question answered in several ways, shows them, and takes one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from assistant.errors import InputError
from assistant.events import RunSoFar
from assistant.papers.selection.drafts import KeptDrafts, kept_drafts
from assistant.papers.selection.taking import Taking
from assistant.types import Scope, Turn
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import AsJson, Compose, Home, User, echo, opened_there, print_json
from ui.terminal.why_commands import last_answered
from ui.words.answers import drafts_of, said_scores


def add_drafts_command(app: typer.Typer, compose: Compose) -> None:
    """Add the command."""

    @app.command()
    def drafts(
        turn: Annotated[str, typer.Argument(help="Id of the turn; without it, the last one that has an answer.")] = "",
        take: Annotated[int | None, typer.Option(help="Take this one for the answer.", metavar="N")] = None,
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        undo: Annotated[bool, typer.Option("--undo", help="Take back that another one was taken.")] = False,
        reset: Annotated[bool, typer.Option("--reset", help="Choose as if none had ever been taken.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Answer a question in three ways, unless it is already; show them with their scores, or take one."""
        if sum((take is not None, undo, reset)) > 1:
            raise InputError("Please say one thing at a time, as in: drafts --take 2")
        with opened_there(compose, home) as services:
            scope, taking = Scope(user), Taking(services.assistant)
            if reset:
                taking.preferences.reset(scope)
                echo("All scores count alike again.", err=True)
                return
            found = services.assistant.turn(turn, scope) if turn else last_answered(services, scope)
            if take is not None or undo:
                found = taking.take(found.id, take, scope)
            elif kept_drafts(found) is None:
                found = RunSoFar().after(taking.several_ways(found.id, scope)).turn
            _show(found, as_json=as_json)


def _show(turn: Turn, *, as_json: bool) -> None:
    if turn.error:
        echo(str(turn.error), err=True)
        raise typer.Exit(1)
    if as_json:
        print_json({"turn": turn.id, "drafts": drafts_of(turn)})
        return
    for line in lines_of(turn):
        echo(line)


def lines_of(turn: Turn) -> Iterator[str]:
    """The drafts of a turn, line by line, each with what the scorers say of it."""
    drafts = kept_drafts(turn)
    if drafts is None or len(drafts.all) == 1:
        yield "No other way was found to answer this." if drafts else "This was answered in one way only."
    yield from _each(drafts) if drafts else ()


def _each(drafts: KeptDrafts) -> Iterator[str]:
    marks: Sequence[str] = ["* " if place == drafts.shown else "  " for place in range(len(drafts.all))]
    for number, (mark, draft) in enumerate(zip(marks, drafts.all, strict=True), 1):
        scores = said_scores(draft.scores, "drafts")
        yield f"{mark}{number}. {draft.reply.understanding}" + (f"  ({scores})" if scores else "")
        yield from (f"     {line}" for line in draft.reply.answer.splitlines())
