"""The command that makes, lists and revokes tokens, with which programs speak for a person: `python app.py token`."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.errors import InputError, NoIdentity
from assistant.types import Scope
from ui.command_parts import LOCAL_PERSON, Compose, Home, opened, plain_errors

Name = Annotated[str, typer.Argument(metavar="[NAME]", help="For whom: as they sign in; on this machine nobody else.")]
Label = Annotated[str, typer.Option("--for", help="What it is for, in your words.", metavar="TEXT")]
Revoke = Annotated[str, typer.Option("--revoke", help="Let the token with this id speak no more.", metavar="ID")]


def add_token_command(app: typer.Typer, compose: Compose) -> None:
    """Add the command to `app`.

    Args:
        app: the commands it belongs to.
        compose: settings to the parts that answer.
    """

    @app.command()
    def token(
        name: Name = LOCAL_PERSON,
        label: Label = "",
        revoke: Revoke = "",
        home: Home = None,
        *,
        all_of_them: Annotated[bool, typer.Option("--list", help="List the tokens that there are.")] = False,
    ) -> None:
        """Make a token, with which a program speaks for a person; it is shown this once. Or list or revoke them."""
        with plain_errors(), opened(compose, home) as services:
            scope = _scope(name)
            if revoke:
                services.tokens.revoke(revoke, scope)
                typer.echo("Revoked.", err=True)
            elif all_of_them:
                for known in services.tokens.tokens(scope):
                    typer.echo(f"{known.id}  {known.created:%Y-%m-%d}  {known.label}".rstrip())
            else:
                made, secret = services.tokens.make(scope, label)
                typer.echo(secret)
                typer.echo(f"Whoever has this speaks for {made.person!r}. It is not shown again.", err=True)
                typer.echo(f"To revoke it: python app.py token {made.person} --revoke {made.id}", err=True)


def _scope(name: str) -> Scope:
    try:
        return Scope(name)
    except NoIdentity:
        raise InputError("This name cannot be used. Please take the one that the person signs in with.") from None
