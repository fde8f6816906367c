"""How people become known on a server: with passwords, with Hugging Face, or without signing in."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from ui.guard import OAUTH, PAGE, PASSWORDS, Doors
from ui.identity import (
    HUGGING_FACE,
    LOCAL_PERSON,
    VISITOR,
    Visitors,
    is_loopback,
    on_this_machine,
    with_hugging_face,
    with_password,
)
from ui.passwords import Passwords, kept_passwords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assistant.settings import Settings
    from ui.identity import Source

_LOGIN, _LOGOUT = "login/huggingface", "logout"
_OAUTH_VARIABLES = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")


def no_parts() -> Sequence[Any]:
    """Signing in needs nothing of Gradio on the page."""
    return ()


def oauth_parts() -> Sequence[Any]:
    """Gradio serves OAuth where its button is on the page.

    Ours is a link at the head of the page, so this one is not shown; made outside of a page, it has no events either.
    """
    return (gr.LoginButton(icon=None, visible=False, render=False),)


@dataclass(frozen=True, slots=True)
class SignIn:
    """One way, of one server.

    Args:
        sources: who knows people, in the order in which they are asked.
        visitors: knows those who have not signed in; None where everybody must.
        doors: what of Gradio has to be open.
        passwords: what the page for signing in asks.
        enter: address to sign in at, where the page offers it.
        parts: makes what has to stand on the page for it, before there is a page.
    """

    sources: tuple[Source, ...] = ()
    visitors: Visitors | None = None
    doors: tuple[Doors, ...] = (PAGE,)
    passwords: Passwords | None = None
    enter: str = ""
    parts: Callable[[], Sequence[Any]] = no_parts

    def account(self, person: str | None) -> dict[str, Any]:
        """What the head of the page says: who signed in and where to sign out, or where to sign in."""
        if person is None or person == LOCAL_PERSON or person.startswith(VISITOR):
            return {"enter": self.enter}
        return {"name": person.removeprefix(HUGGING_FACE), "leave": _LOGOUT}


def sign_in(settings: Settings, host: str, visitor_key: bytes, environment: Mapping[str, str] = os.environ) -> SignIn:
    """The way that the settings and the place ask for.

    Args:
        settings: with names and passwords, if there are any.
        host: address that the server listens on.
        visitor_key: signs the names of those who do not sign in.
        environment: where a Space finds what it needs for OAuth.

    Raises:
        SettingsError: the names and passwords cannot be read.
    """
    passwords = kept_passwords(settings.auth, settings.auth_file)
    if passwords:
        return SignIn((with_password,), None, (PAGE, PASSWORDS), passwords)
    visitors = Visitors(visitor_key, framed=settings.on_spaces, passing=settings.visitor_hours is not None)
    # Off Spaces, Gradio would sign everybody in as whoever owns the machine.
    if environment.get("SYSTEM") == "spaces" and settings.on_spaces and all(map(environment.get, _OAUTH_VARIABLES)):
        return SignIn((with_hugging_face,), visitors, (PAGE, OAUTH), enter=_LOGIN, parts=oauth_parts)
    local = is_loopback(host) and not settings.on_spaces
    return SignIn((on_this_machine,) if local else (), visitors)
