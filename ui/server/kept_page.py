"""Gradio's page is made once for each address that it is reached by, and kept.

Gradio makes it anew for each request: it copies some thousands of settings, and writes them as text. What comes out
depends on nothing but the address, unless people sign in with passwords: then it names who did.
"""

from collections.abc import Sequence

from gradio.route_utils import get_root_url
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.status import HTTP_200_OK
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from ui.server.asgi import whole_answer

_PAGE = {("GET", "/"), ("HEAD", "/")}
_KEPT_AT_MOST = 16
_HEAD = b"<head>"
_ICON = b'<link rel="icon" href="favicon.ico" />'  # else browsers look for it outside of the path of the page


class KeptPageMiddleware:
    """Asks Gradio for its page when an address is new; for these hosts before the server listens."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = hosts
        self._kept: dict[str, bytes] = {}

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        async def send_when_made(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                for host in self._hosts:
                    await self._page(_first_request(connection, host), receive)
            await send(message)

        if connection["type"] == "lifespan":
            await self._app(connection, receive, send_when_made)
        elif connection["type"] == "http" and (connection["method"], connection["path"]) in _PAGE:
            # What follows a "?" is for the page in the browser. Gradio would look for a saved state of that name.
            page = await self._page({**connection, "query_string": b""}, receive)
            await page(connection, receive, send)
        else:
            await self._app(connection, receive, send)

    async def _page(self, connection: Connection, receive: Receive) -> Response:
        address = get_root_url(Request(connection), "/", connection.get("root_path"))  # the one that Gradio will write
        if body := self._kept.get(address):
            return HTMLResponse(body)
        start, body = await whole_answer(self._app, connection, receive)
        if start["status"] != HTTP_200_OK:
            return Response(body, start["status"], Headers(raw=start["headers"]))
        if len(self._kept) == _KEPT_AT_MOST:
            self._kept.clear()  # no server has so many addresses: somebody makes them up
        body = body.replace(_HEAD, _HEAD + _ICON, 1)
        self._kept[address] = body
        return HTMLResponse(body)


def _first_request(lifespan: Connection, host: str) -> Connection:
    page = {"method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "scheme": "http", "server": None}
    return {**lifespan, **page, "type": "http", "http_version": "1.1", "headers": [(b"host", host.encode())]}
