"""Authenticate programs by bearer token, and route their requests.

A request without a token is refused, unless the host allows everyone: then it is an anonymous visitor, by cookie. The
page's sign-in does not count.
"""

import importlib
from collections.abc import Callable, Sequence
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import NotedError, SettingsError
from assistant.ports import Tokens
from assistant.settings import Settings
from assistant.types import Scope
from ui.programs.rest import answer, describe, llms_text
from ui.server.identity import PERSON, VISITOR, Visitors, bearer
from ui.server.request_policy import API_PATH
from ui.server.services import Services

OFF, TOKENS, EVERYONE = "off", "tokens", "everyone"
_UNKNOWN_CALLER = (
    "Please send a valid token, as in `Authorization: Bearer TOKEN`. "
    "The page Memory makes one, and so does `noted token`."
)


def choose_access(settings: Settings) -> str:
    """Return the callers that the API allows: nobody, those with a token, or everyone. Raises SettingsError."""
    if settings.api not in {OFF, TOKENS, EVERYONE}:
        raise SettingsError(f"NOTED_API must be {OFF}, {TOKENS} or {EVERYONE}, not {settings.api!r}.")
    return settings.api


def token_makers(settings: Settings) -> Callable[[Scope], bool]:
    """Return a predicate for users who may make tokens: all but visitors, unless the API or saving is off."""
    somebody_may = choose_access(settings) != OFF and not settings.read_only
    return lambda scope: somebody_may and not scope.person.startswith(VISITOR)


class ApiMiddleware:
    """Middleware that writes the user of a program into each API request, or refuses it; others are passed on.

    Without `visitors`, every request needs the token of a user whom the sign-in `knows`.
    """

    def __init__(self, app: ASGIApp, tokens: Tokens, visitors: Visitors | None, knows: Callable[[str], bool]) -> None:
        self._app = app
        self._tokens = tokens
        self._visitors = visitors
        self._knows = knows

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http" or not API_PATH.match(connection["path"]):
            await self._app(connection, receive, send)
            return
        try:
            person, send = await self._person(connection, send)
        except NotedError as error:
            await JSONResponse({"detail": str(error)}, 503)(connection, receive, send)
            return
        if person is None:
            response = JSONResponse({"detail": _UNKNOWN_CALLER}, 401, {"www-authenticate": "Bearer"})
            await response(connection, receive, send)
            return
        await self._app({**connection, PERSON: person}, receive, send)

    async def _person(self, connection: Connection, send: Send) -> tuple[str | None, Send]:
        """Return the user, or None, and a `send` that sets the cookie of a new visitor."""
        secret = bearer(connection)
        if secret is not None:
            person = await run_in_threadpool(self._tokens.person, secret)
            return (person if person and self._knows(person) else None), send
        if self._visitors is None:
            return None, send
        if person := self._visitors(connection):
            return person, send
        return self._visitors.welcome(connection, send)


class McpEndpoint:
    """The MCP app, which is loaded by its first request."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._app: ASGIApp | None = None

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if self._app is None:
            module = await run_in_threadpool(importlib.import_module, "ui.programs.mcp_api")
            self._app = module.make_app(self._services)
        await self._app(connection, receive, send)


def api_routes(services: Services) -> Sequence[Route]:
    """Return the routes of REST, MCP and `/llms.txt`."""
    return (
        Route("/llms.txt", llms_text),
        Route("/api/openapi.json", describe),
        Route("/api/{name}", partial(answer, services), methods=["POST"]),
        Route("/mcp", McpEndpoint(services), methods=["POST"]),
    )
