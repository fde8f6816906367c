"""Sign-in of a server: passwords, Hugging Face, or none; and the access token of a loopback server."""

import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.status import HTTP_303_SEE_OTHER, HTTP_401_UNAUTHORIZED
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.settings import Settings
from ui.server.identity import (
    HUGGING_FACE,
    LOCAL_PERSON,
    PERSON,
    VISITOR,
    Source,
    Visitors,
    is_loopback,
    local_user,
    read_hugging_face_user,
    read_password_user,
)
from ui.server.passwords import Passwords, load_passwords
from ui.server.request_policy import OAUTH, PAGE, PASSWORDS, OpenPaths

_LOGIN, _LOGOUT = "login/huggingface", "logout"
_OAUTH_VARIABLES = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")
_LOCAL_COOKIE = "noted_local"


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


def local_token(key: bytes) -> str:
    """Return the token, derived from `key`: it survives restarts, so browsers need it once."""
    return hmac.digest(key, b"local token", "sha256").hex()


class LocalTokenMiddleware:
    """Middleware that refuses requests without the token; a request with it in the query gets it as a cookie.

    Every account of a machine can reach a loopback server, which takes each for the local person. With
    `NOTED_LOCAL_TOKEN=on`, Noted prints an address with a token, to be opened once in each browser.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http":
            await self._app(connection, receive, send)
            return
        request, path = Request(connection), connection["path"]
        # Programs have been checked. Gradio requests the startup events at launch; the response holds no data.
        passes = PERSON in connection or path == "/gradio_api/startup-events"
        if passes or self._fits(request.cookies.get(_LOCAL_COOKIE)):
            await self._app(connection, receive, send)
        elif path == "/" and self._fits(request.query_params.get("token")):
            answer = RedirectResponse("./", HTTP_303_SEE_OTHER)
            answer.set_cookie(_LOCAL_COOKIE, self._token, httponly=True, samesite="strict")
            await answer(connection, receive, send)
        else:
            unknown = "Please open the address that Noted printed when it was started; it has a token in it."
            await PlainTextResponse(unknown, HTTP_401_UNAUTHORIZED)(connection, receive, send)

    def _fits(self, token: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), self._token.encode())
