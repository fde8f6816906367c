"""Authenticate programs by bearer token, and route their requests to an interface.

A request without a token is refused, unless the host allows everyone: then it is an anonymous visitor, by cookie. The
page's sign-in does not count.
"""

import asyncio
import importlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import NotedError, SettingsError
from assistant.settings import Settings
from assistant.types import Scope
from ui.programs.transport import Threads
from ui.server.bounds.fair_queue import FairQueueMiddleware
from ui.server.identity import PERSON, VISITOR, Visitors, bearer
from ui.server.request_policy import API_PATH
from ui.server.services import Services

OFF, TOKENS, EVERYONE = "off", "tokens", "everyone"
_MCP = "/mcp"
_GRADIO = ("/config", "/gradio_api/")
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
    """Middleware that answers API requests and passes on all others.

    Without `visitors`, every request needs the token of a user whom the sign-in `knows`. Requests of `gradio_client`
    are passed on with their user.
    """

    def __init__(
        self,
        app: ASGIApp,
        services: Services,
        threads: Threads,
        visitors: Visitors | None,
        knows: Callable[[str], bool],
    ) -> None:
        self._app = app
        self._knows = knows
        self._services = services
        self._visitors = visitors
        self._threads = threads
        self._in_turn = FairQueueMiddleware(self._answer)
        self._apps: dict[str, ASGIApp] = {}
        self._making = asyncio.Lock()

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
        connection = {**connection, PERSON: person}
        if connection["path"].startswith(_GRADIO):
            await self._app(connection, receive, send)
            return
        with suppress(ClientDisconnect):  # the client left
            await self._in_turn(connection, receive, send)

    async def _answer(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Answer by the interface of the path, which its first request loads."""
        name = "mcp_api" if connection["path"] == _MCP else "rest"
        async with self._making:
            if name not in self._apps:
                module = await self._threads.run(partial(importlib.import_module, f"ui.programs.{name}"))
                self._apps[name] = await module.make_app(self._services, self._threads)
        await self._apps[name](connection, receive, send)

    async def _person(self, connection: Connection, send: Send) -> tuple[str | None, Send]:
        """Return the user, or None, and a `send` that sets the cookie of a new visitor."""
        secret = bearer(connection)
        if secret is not None:
            person = await self._threads.run(partial(self._services.tokens.person, secret))
            return (person if person and self._knows(person) else None), send
        if self._visitors is None:
            return None, send
        if person := self._visitors(connection):
            return person, send
        return self._visitors.welcome(connection, send)
