"""The page for signing in with a name and a password: in every language, and of a few kilobytes."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from ui.server.identity import PERSON


class EntranceMiddleware:
    """Shows those who have not signed in this page instead of the application's."""

    def __init__(self, app: ASGIApp, page: Callable[[Request], Response]) -> None:
        self._app = app
        self._page = page

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        opens = connection["type"] == "http" and connection["path"] == "/" and connection[PERSON] is None
        await (self._page(Request(connection)) if opens else self._app)(connection, receive, send)
