"""Sign-in of a server: passwords, Hugging Face, or none."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assistant.settings import Settings
from ui.server.entrance.passwords import Passwords, load_passwords
from ui.server.identity import (
    HUGGING_FACE,
    LOCAL_PERSON,
    VISITOR,
    Source,
    Visitors,
    is_loopback,
    local_user,
    read_hugging_face_user,
    read_password_user,
)
from ui.server.request_policy import OAUTH, PAGE, PASSWORDS, OpenPaths

_LOGIN, _LOGOUT = "login/huggingface", "logout"
_OAUTH_VARIABLES = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")


@dataclass(frozen=True, slots=True)
class SignIn:
    """Sign-in method of one server."""

    sources: tuple[Source, ...] = ()  # in order of precedence
    visitors: Visitors | None = None  # None if sign-in is required
    open_paths: tuple[OpenPaths, ...] = (PAGE,)
    passwords: Passwords | None = None
    enter: str = ""  # sign-in URL of Hugging Face, if offered

    def knows(self, person: str) -> bool:
        """Return True if this user can still sign in; False only for names without a password."""
        return self.passwords is None or self.passwords.knows(person)

    def account(self, person: str | None) -> dict[str, Any]:
        """Return the account for the header: name and sign-out URL, or sign-in URL."""
        if person is None or person == LOCAL_PERSON or person.startswith(VISITOR):
            return {"enter": self.enter}
        return {"name": person.removeprefix(HUGGING_FACE), "leave": _LOGOUT}


def sign_in(settings: Settings, host: str, visitor_key: bytes, environment: Mapping[str, str] = os.environ) -> SignIn:
    """Choose the sign-in method of a server. Raises SettingsError: the passwords cannot be read."""
    passwords = load_passwords(settings.auth, settings.auth_file)
    if passwords:
        return SignIn((read_password_user,), None, (PAGE, PASSWORDS), passwords)
    passing = settings.visitor_hours is not None
    visitors = Visitors(visitor_key, framed=settings.on_spaces, passing=passing, root_path=settings.root_path)
    # Off Spaces, Gradio would sign everybody in as the owner of the machine.
    if environment.get("SYSTEM") == "spaces" and settings.on_spaces and all(map(environment.get, _OAUTH_VARIABLES)):
        return SignIn((read_hugging_face_user,), visitors, (PAGE, OAUTH), enter=_LOGIN)
    local = is_loopback(host) and not settings.on_spaces
    return SignIn((local_user,) if local else (), visitors)
