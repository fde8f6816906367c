"""The command line: the same loop as the page, behind commands.

Answers go to standard output, everything else to standard error. Exit codes: 0 done, 1 it did not work (one sentence
says why), 2 the command was not understood.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from assistant.events import AnswerText, Event, Finished, Noted, Started, UnderstandingText
from assistant.settings import Settings
from assistant.types import Decision, Entry, Scope, Turn, TurnState
from ui.chat_command import add_chat_command
from ui.command_parts import LOCAL_PERSON, AsJson, Compose, Home, User, opened, plain_errors, print_json
from ui.memory_commands import add_memory_commands
from ui.sharing_commands import add_sharing_commands
from ui.token_commands import add_token_command
from ui.upkeep_commands import Restore, add_upkeep_commands

Serve = Callable[[Settings], None]


def command_line(compose: Compose, serve: Serve, restore: Restore) -> typer.Typer:
    """The commands.

    Args:
        compose: settings to the parts that answer.
        serve: shows the page, until it is stopped.
        restore: puts a backup in the place of the memory.
    """
    app = typer.Typer(
        help="Noted: a chat assistant that shows how it understood you, and remembers when you put it right.",
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    memory = typer.Typer(help="What is remembered.", no_args_is_help=True)
    app.add_typer(memory, name="memory")
    _add_serving(app, serve)
    _add_asking(app, compose)
    add_memory_commands(memory, compose)
    add_sharing_commands(memory, compose)
    add_upkeep_commands(memory, compose, restore)
    add_chat_command(app, compose)
    _add_models(app, compose)
    _add_password(app)
    add_token_command(app, compose)
    return app


def _add_serving(app: typer.Typer, serve: Serve) -> None:
    @app.callback()
    def start(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            serve_page()

    @app.command("serve")
    def serve_page(
        host: Annotated[str | None, typer.Option(help="Address to serve on.")] = None,
        port: Annotated[int | None, typer.Option(help="Port to serve on.")] = None,
        home: Home = None,
    ) -> None:
        """Serve the page (this is also what happens without a command)."""
        with plain_errors():
            serve(Settings.load(host=host, port=port, home=home))


def _add_asking(app: typer.Typer, compose: Compose) -> None:
    @app.command()
    def ask(
        question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
        user: User = LOCAL_PERSON,
        conversation: Annotated[str, typer.Option(help="Go on with this conversation.", metavar="C")] = "",
        home: Home = None,
        *,
        as_json: AsJson = False,
    ) -> None:
        """Ask a question."""
        # Whatever bytes come in become some text; what is wrong with it, if anything, is said like everything else.
        text = sys.stdin.buffer.read().decode("utf-8", "replace") if question == "-" else question
        with plain_errors(), opened(compose, home) as services:
            _answer(services.assistant.ask(text, Scope(user), conversation), as_json=as_json)

    @app.command()
    def clarify(
        turn: Annotated[str, typer.Argument(help="Id of the turn that was misunderstood.")],
        words: Annotated[str, typer.Argument(help="What you meant, in your own words.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        as_json: AsJson = False,
    ) -> None:
        """Say what you meant by an earlier question, and have it answered again."""
        with plain_errors(), opened(compose, home) as services:
            _answer(services.assistant.clarify(turn, words, Scope(user)), as_json=as_json)


def _add_models(app: typer.Typer, compose: Compose) -> None:
    @app.command()
    def models(home: Home = None) -> None:
        """Show which models are in use, and why."""
        with plain_errors(), opened(compose, home) as services:
            typer.echo(f"Answers:    {services.model_name}. {services.model_note}")
            typer.echo(f"Similarity: {services.embedder_note()}")
            typer.echo(f"Memory:     {services.memory_note}")


def _add_password(app: typer.Typer) -> None:
    @app.command()
    def password(name: Annotated[str, typer.Argument(help="The name to sign in with.")]) -> None:
        """Make the line that lets somebody sign in; put it into NOTED_AUTH or into the file NOTED_AUTH_FILE."""
        from ui.passwords import new_line  # the page alone needs what it imports

        with plain_errors():
            chosen = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
            typer.echo(new_line(name, chosen))


def _answer(events: Iterator[Event], *, as_json: bool) -> None:
    """Show a turn as it comes, or as one JSON object at its end."""
    last: Turn | None = None
    shown: set[type[Event]] = set()
    for event in events:
        if isinstance(event, Finished):
            last = event.turn
        if not as_json:
            _show(event, shown)
    if last is None:
        return
    if as_json:
        print_json(_turn_fields(last))
    if last.error and not as_json:
        typer.echo(last.error, err=True)
    if last.state is TurnState.FAILED:
        raise typer.Exit(1)


def _show(event: Event, shown: set[type[Event]]) -> None:
    """Print an event; `shown` holds the kinds of text that have been begun in this turn."""
    if isinstance(event, UnderstandingText | AnswerText):
        if type(event) not in shown:
            typer.echo("I understood this as: " if isinstance(event, UnderstandingText) else "\n\n", nl=False)
            shown.add(type(event))
        typer.echo(event.text, nl=False)
    elif isinstance(event, Started) and sys.stderr.isatty():
        typer.echo("Thinking…", err=True)
    elif isinstance(event, Noted):
        typer.echo(f"Noted: {event.entry.text}", err=True)
    elif isinstance(event, Finished) and event.turn.state is TurnState.ANSWERED:
        shown.clear()
        typer.echo()
        for decision in event.turn.decisions:
            if decision.entry.id in event.turn.used:
                typer.echo(f"{_where_from(decision.entry)}: {decision.entry.text} ({decision.reason})", err=True)
        if not event.turn.error:
            typer.echo(f'Not what you meant? python app.py clarify {event.turn.id} "…"', err=True)


def _where_from(entry: Entry) -> str:
    if entry.seeded:
        return "From what this place began with"
    return f"From memory, shared with everyone since {entry.created:%Y-%m-%d}" if entry.shared else "From memory"


def _turn_fields(turn: Turn) -> dict[str, Any]:
    """A turn as `ask --json` prints it."""
    return {
        "turn": turn.id,
        "conversation": turn.conversation,
        "question": turn.question,
        "understanding": turn.reply.understanding,
        "answer": turn.reply.answer,
        "model": turn.model,
        "state": turn.state,
        "status": turn.reply.status,
        "error": turn.error or None,
        "used": list(turn.used),
        "candidates": [_candidate_fields(decision) for decision in turn.decisions],
        "ms": dict(turn.ms),
    }


def _candidate_fields(decision: Decision) -> dict[str, Any]:
    return {
        "entry": decision.entry.id,
        "shared": decision.entry.shared,
        "scores": {name: round(value, 4) for name, value in decision.candidate.scores.items()},
        "decision": decision.action,
        "probability": round(decision.probability, 4),
        "reason": decision.reason,
    }
