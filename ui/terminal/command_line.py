"""The command line: the same loop as the page, behind commands.

Answers go to standard output, everything else to standard error. Exit codes: 0 done, 1 it did not work (one sentence
says why), 2 the command was not understood.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from assistant import __version__
from assistant.errors import InputError, NoIdentity
from assistant.kinds import Reach
from assistant.settings import Settings
from assistant.types import Scope, day_of
from ui.server.identity import LOCAL_PERSON
from ui.terminal.asking import Asked, Clarified, carry_out, require_conversation, show_answer
from ui.terminal.command_parts import (
    REACHES,
    AsJson,
    Compose,
    Home,
    PlainErrors,
    User,
    echo,
    opened,
    opened_there,
)
from ui.terminal.draft_commands import add_drafts_command
from ui.terminal.files import decoded
from ui.terminal.memory_commands import Restore, add_memory_commands
from ui.terminal.model_commands import Pull, add_embedder_commands, models_commands
from ui.terminal.practice.practice_commands import add_practice_command
from ui.terminal.practice.question_commands import add_questions_command
from ui.terminal.sharing_commands import add_sharing_commands
from ui.terminal.waiting_commands import add_keep_command, add_lesson_command
from ui.terminal.why_commands import add_why_commands

TokenName = Annotated[
    str, typer.Argument(metavar="[NAME]", help="For whom: as they sign in; on this machine nobody else.")
]
Label = Annotated[str, typer.Option("--for", help="What it is for, in your words.", metavar="TEXT")]
Revoke = Annotated[str, typer.Option("--revoke", help="Let the token with this id speak no more.", metavar="ID")]
Conversation = Annotated[str, typer.Option(help="Go on with this conversation.", metavar="C")]

Serve = Callable[[Settings], None]


def command_line(compose: Compose, serve: Serve, restore: Restore, pull_embedder: Pull) -> typer.Typer:
    """The commands. `serve` shows the page, until it is stopped."""
    app = typer.Typer(
        cls=PlainErrors,
        help="Noted: a chat assistant that shows how it understood you, and remembers when you put it right.",
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    memory = typer.Typer(help="What is remembered.", no_args_is_help=True)
    app.add_typer(memory, name="memory")
    _add_serving(app, serve)
    _add_asking(app, compose)
    add_why_commands(app, compose, show_answer)
    add_keep_command(app, compose)
    add_drafts_command(app, compose)
    add_practice_command(app, compose)
    add_questions_command(app, compose)
    add_lesson_command(app, compose)
    add_memory_commands(memory, compose, restore)
    add_sharing_commands(memory, compose)
    embedder = typer.Typer(help="What compares meanings.", no_args_is_help=True)
    app.add_typer(embedder, name="embedder")
    add_embedder_commands(embedder, pull_embedder)
    app.add_typer(models_commands(compose), name="models")
    _add_hosting(app, compose)
    return app


def _add_serving(app: typer.Typer, serve: Serve) -> None:
    @app.callback()
    def start(
        context: typer.Context,
        *,
        version: Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True)] = False,
    ) -> None:
        if version:
            echo(f"noted {__version__}")
        elif context.invoked_subcommand is None:
            serve_page()

    @app.command("serve")
    def serve_page(
        host: Annotated[str | None, typer.Option(help="Address to serve on.")] = None,
        port: Annotated[int | None, typer.Option(help="Port to serve on.")] = None,
        home: Home = None,
    ) -> None:
        """Serve the page (this is also what happens without a command)."""
        settings = Settings.load(host=host, port=port, home=home)
        os.environ.pop("GRADIO_SERVER_PORT", None)  # Gradio cannot be imported where this is no number
        serve(settings)


def _add_asking(app: typer.Typer, compose: Compose) -> None:
    @app.command()
    def ask(
        question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
        user: User = LOCAL_PERSON,
        conversation: Conversation = "",
        home: Home = None,
        *,
        think: Annotated[bool, typer.Option("--think", help="Think it through: many calls instead of one.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Ask a question."""
        # Whatever bytes come in become some text; what is wrong with it, if anything, is said like everything else.
        text = decoded(sys.stdin.buffer.read()) if question == "-" else question
        asked = Asked(user=user, question=text, conversation=conversation, think=think, as_json=as_json)
        carry_out(asked, compose, home)

    @app.command()
    def clarify(
        turn: Annotated[str, typer.Argument(help="Id of the turn that was misunderstood; not with --last.")],
        words: Annotated[str, typer.Argument(help="What you meant, in your own words.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        last: Annotated[bool, typer.Option("--last", help="The last turn is meant.")] = False,
        reach: Annotated[Reach | None, typer.Option(help=f"{REACHES} Without it, as is proposed.")] = None,
        as_json: AsJson = False,
    ) -> None:
        """Say what you meant by an earlier question, and have it answered again."""
        if last == bool(words):
            raise InputError('Please name the turn and say what you meant, or say --last "…" alone.')
        turn, words = ("", turn) if last else (turn, words)
        carry_out(Clarified(user=user, turn=turn, meant=words, reach=reach, as_json=as_json), compose, home)

    @app.command()
    def chat(user: User = LOCAL_PERSON, conversation: Conversation = "", home: Home = None) -> None:
        """Talk in the terminal; lines may also come from a file or a pipe."""
        from rich.console import Console  # not before it is needed

        from ui.terminal.chat import TerminalChat, lines_of_a_person

        with (opened_there if conversation else opened)(compose, home) as services:
            require_conversation(services, Scope(user), conversation)
            services.start()
            console = Console(highlight=False, emoji=False)
            TerminalChat(services, Scope(user), console, conversation).run(lines_of_a_person())


def _add_hosting(app: typer.Typer, compose: Compose) -> None:
    @app.command()
    def password(name: Annotated[str, typer.Argument(help="The name to sign in with.")]) -> None:
        """Make the line that lets somebody sign in; put it into NOTED_AUTH or into the file NOTED_AUTH_FILE."""
        from ui.server.entrance.passwords import check_name, new_line  # the page alone needs what it imports

        check_name(name)
        chosen = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        echo(new_line(name, chosen))

    @app.command()
    def token(
        name: TokenName = LOCAL_PERSON,
        label: Label = "",
        revoke: Revoke = "",
        home: Home = None,
        *,
        all_of_them: Annotated[bool, typer.Option("--list", help="List the tokens that there are.")] = False,
    ) -> None:
        """Make a token, with which a program speaks for a person; it is shown this once. Or list or revoke them."""
        try:
            scope = Scope(name)
        except NoIdentity:
            refused = "This name cannot be used. Please take the one that the person signs in with."
            raise InputError(refused) from None
        with (opened_there if revoke or all_of_them else opened)(compose, home) as services:
            if revoke:
                services.tokens.revoke(revoke, scope)
                echo("Revoked.", err=True)
            elif all_of_them:
                for known in services.tokens.tokens(scope):
                    echo(f"{known.id}  {day_of(known.created)}  {known.label}".rstrip())
            else:
                made, secret = services.tokens.make(scope, label)
                echo(secret)
                echo(f"Whoever has this speaks for {made.person!r}. It is not shown again.", err=True)
                echo(f"To revoke it: noted token {made.person} --revoke {made.id}", err=True)
