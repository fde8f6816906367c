"""Access token for the page on a machine with several accounts.

Every account of a machine can reach a loopback server, which takes each for the local person. With
`NOTED_LOCAL_TOKEN=on`, Noted prints an address with a token, to be opened once in each browser.
"""

import hmac

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.status import HTTP_303_SEE_OTHER, HTTP_401_UNAUTHORIZED
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from ui.server.identity import PERSON

_COOKIE = "noted_local"
# Gradio requests it at launch; the response holds no data.
_ASKED_BY_GRADIO = "/gradio_api/startup-events"
_UNKNOWN = "Please open the address that Noted printed when it was started; it has a token in it."


def local_token(key: bytes) -> str:
    """Return the token, derived from `key`: it survives restarts, so browsers need it once."""
    return hmac.digest(key, b"local token", "sha256").hex()


class LocalTokenMiddleware:
    """Middleware that refuses requests without the token; a request with it in the query gets it as a cookie."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        request = Request(connection) if connection["type"] == "http" else None
        if request is None or _passes(connection) or self._fits(request.cookies.get(_COOKIE)):
            await self._app(connection, receive, send)
        elif connection["path"] == "/" and self._fits(request.query_params.get("token")):
            answer = RedirectResponse("./", HTTP_303_SEE_OTHER)
            answer.set_cookie(_COOKIE, self._token, httponly=True, samesite="strict")
            await answer(connection, receive, send)
        else:
            await PlainTextResponse(_UNKNOWN, HTTP_401_UNAUTHORIZED)(connection, receive, send)

    def _fits(self, token: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), self._token.encode())


def _passes(connection: Connection) -> bool:
    """Return True for Gradio's request at launch, and for programs, whose token was checked before."""
    return connection["path"] == _ASKED_BY_GRADIO or PERSON in connection
