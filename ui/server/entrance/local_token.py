"""On a machine that several people use: lets nobody to the page who was not shown its token.

A server on a loopback address is open to every account of its machine, and takes each for the local person. With
`NOTED_LOCAL_TOKEN=on` it prints an address with a token in it, which whoever runs it opens once in each browser.
"""

import hmac

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.status import HTTP_303_SEE_OTHER, HTTP_401_UNAUTHORIZED
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from ui.server.identity import PERSON

_COOKIE = "noted_local"
# When it starts, and it says nothing.
_ASKED_BY_GRADIO = "/gradio_api/startup-events"
_UNKNOWN = "Please open the address that Noted printed when it was started; it has a token in it."


def local_token(key: bytes) -> str:
    """The token of a server with this key: the same after a restart, so that browsers need it once."""
    return hmac.digest(key, b"local token", "sha256").hex()


class LocalTokenMiddleware:
    """Answers whoever comes without the token in a sentence, and gives a cookie to who brings it in the address."""

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
    """Return True for what Gradio asks itself, and for programs, whose token was checked before."""
    return connection["path"] == _ASKED_BY_GRADIO or PERSON in connection
