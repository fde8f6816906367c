"""Health check at `/healthz`, without sign-in."""

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import NotedError

PATH = "/healthz"


class HealthMiddleware:
    """Middleware that responds with 200, or with 503 if `check` raises NotedError."""

    def __init__(self, app: ASGIApp, check: Callable[[], None]) -> None:
        self._app = app
        self._check = check

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http" or connection["path"] != PATH:
            await self._app(connection, receive, send)
            return
        try:
            await run_in_threadpool(self._check)
            response = JSONResponse({"ok": True})
        except NotedError:
            response = JSONResponse({"ok": False}, 503)
        response.headers["cache-control"] = "no-store"
        await response(connection, receive, send)
