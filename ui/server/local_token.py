"""On a machine that several people use: lets nobody to the page who was not shown its token.

A server on a loopback address is open to every account of its machine, and takes each for the local person. With
`NOTED_LOCAL_TOKEN=on` it prints an address with a token in it, which whoever runs it opens once in each browser.
"""

import hmac
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.status import HTTP_303_SEE_OTHER, HTTP_401_UNAUTHORIZED
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

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
        cookies = cookie_parser(Headers(scope=connection).get("cookie", "")) if connection["type"] == "http" else {}
        if connection["type"] != "http" or connection["path"] == _ASKED_BY_GRADIO or self._fits(cookies):
            await self._app(connection, receive, send)
            return
        asked = {name: values[-1] for name, values in parse_qs(connection["query_string"].decode("latin-1")).items()}
        if connection["path"] != "/" or not self._fits({_COOKIE: asked.get("token", "")}):
            await PlainTextResponse(_UNKNOWN, HTTP_401_UNAUTHORIZED)(connection, receive, send)
            return
        answer = RedirectResponse("/", HTTP_303_SEE_OTHER)
        answer.set_cookie(_COOKIE, self._token, httponly=True, samesite="strict")
        await answer(connection, receive, send)

    def _fits(self, cookies: dict[str, str]) -> bool:
        return hmac.compare_digest(cookies.get(_COOKIE, "").encode(), self._token.encode())
