"""The doors for programs: who calls, and by which door. What can be done there is in `ui.doors`.

A program speaks for the person whose token it sends (`Authorization: Bearer TOKEN`). Without one it is nobody, unless
the host lets everyone in: then it is a visitor, known by a cookie. Whoever is signed in on the page is nobody here.
"""

from __future__ import annotations

import asyncio
import importlib
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from assistant.errors import NotedError, SettingsError
from ui.guard import API_PATH
from ui.identity import PERSON, VISITOR, bearer
from ui.waiting import Threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Send
    from starlette.types import Scope as Connection

    from assistant.settings import Settings
    from assistant.types import Scope
    from ui.identity import Visitors
    from ui.services import Services

OFF, TOKENS, EVERYONE = "off", "tokens", "everyone"
_MCP = "/mcp"
_GRADIO = ("/api/config", "/api/gradio_api/")
# Beside the answers being written.
_FURTHER_CALLS = 32
_UNKNOWN_CALLER = (
    "Please send a valid token, as in `Authorization: Bearer TOKEN`. "
    "The page Memory makes one, and so does `python app.py token`."
)


def who_may_call(settings: Settings) -> str:
    """Who may come by the doors for programs: nobody, those with a token, or everyone.

    Raises:
        SettingsError: the setting says something else.
    """
    if settings.api not in {OFF, TOKENS, EVERYONE}:
        raise SettingsError(f"NOTED_API must be {OFF}, {TOKENS} or {EVERYONE}, not {settings.api!r}.")
    return settings.api


def token_makers(settings: Settings) -> Callable[[Scope], bool]:
    """Who may make tokens on the page: everyone but visitors. Nobody where no program may call, or nothing is saved.

    Raises:
        SettingsError: as `who_may_call`.
    """
    somebody_may = who_may_call(settings) != OFF and not settings.read_only
    return lambda scope: somebody_may and not scope.person.startswith(VISITOR)


class ApiMiddleware:
    """Answers what comes by the doors for programs, and passes on everything else.

    Args:
        app: what comes next.
        services: what is behind the doors.
        visitors: knows those without a token; None where nobody may come without one.
    """

    def __init__(self, app: ASGIApp, services: Services, visitors: Visitors | None) -> None:
        self._app = app
        self._services = services
        self._visitors = visitors
        self._threads = Threads(services.runs.most + _FURTHER_CALLS)
        self._made: dict[str, asyncio.Future[ASGIApp]] = {}

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
        door = await self._door(connection["path"])
        with suppress(ClientDisconnect):  # then there is nobody to answer, and nothing is wrong
            await door({**connection, PERSON: person}, receive, send)

    async def _person(self, connection: Connection, send: Send) -> tuple[str | None, Send]:
        """Who calls, and how to answer: a visitor who was not here before is given a cookie."""
        secret = bearer(connection)
        if secret is not None:
            return await self._threads.run(partial(self._services.tokens.person, secret)), send
        if self._visitors is None:
            return None, send
        if person := self._visitors(connection):
            return person, send
        header = self._visitors.header(connection)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", header)
            await send(message)

        return self._visitors.person(header.partition("=")[2].partition(";")[0]), send_with_cookie

    async def _door(self, path: str) -> ASGIApp:
        """The door that a path belongs to. Each takes a moment to make, which is left to the first who comes by it."""
        name = "mcp" if path == _MCP else "gradio" if path.startswith(_GRADIO) else "rest"
        if name not in self._made or self._failed(name):
            make = {"mcp": self._mcp, "gradio": self._gradio, "rest": self._rest}[name]
            self._made[name] = asyncio.ensure_future(make())
        return await asyncio.shield(self._made[name])

    def _failed(self, name: str) -> bool:
        """Whether a door could not be made: then the next who comes by it tries again."""
        made = self._made[name]
        return made.done() and (made.cancelled() or made.exception() is not None)

    async def _mcp(self) -> ASGIApp:
        module = await self._imported("ui.mcp_door")
        return module.McpDoor(self._services, self._threads)  # type: ignore[no-any-return]

    async def _gradio(self) -> ASGIApp:
        module = await self._imported("ui.gradio_door")
        return await module.gradio_door(self._services)  # type: ignore[no-any-return]

    async def _rest(self) -> ASGIApp:
        module = await self._imported("ui.rest")
        return module.RestDoor(self._services, self._threads)  # type: ignore[no-any-return]

    async def _imported(self, name: str) -> Any:
        return await self._threads.run(partial(importlib.import_module, name))
