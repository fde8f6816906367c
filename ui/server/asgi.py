"""Small pieces of ASGI: the health check, proxies in front of the server, and bodies that were read already."""

from collections.abc import Callable, Iterable

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from assistant.errors import NotedError
from ui.server.identity import FORWARDED

_BY_PROXIES = (b"forwarded", b"via", b"x-forwarded-", b"x-gradio-server", b"x-real-ip")


class HealthMiddleware:
    """Health check at `/healthz`, without sign-in: 200, or 503 if `check` raises NotedError."""

    def __init__(self, app: ASGIApp, check: Callable[[], None]) -> None:
        self._app = app
        self._check = check

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http" or connection["path"] != "/healthz":
            await self._app(connection, receive, send)
            return
        try:
            await run_in_threadpool(self._check)
            response = JSONResponse({"ok": True})
        except NotedError:
            response = JSONResponse({"ok": False}, 503)
        response.headers["cache-control"] = "no-store"
        await response(connection, receive, send)


class ForwardedMiddleware:
    """Middleware that applies forwarded headers of configured `proxies`, removes others, and strips `root_path`.

    Proxies may strip the path themselves, or leave it to this.
    """

    def __init__(self, app: ASGIApp, proxies: Iterable[str], root_path: str = "") -> None:
        self._app = app
        self._behind_proxy = ProxyHeadersMiddleware(app, list(proxies))  # type: ignore[arg-type]  # types of its own
        self._root_path = root_path

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http":
            await self._app(connection, receive, send)
            return
        if connection["path"].startswith(f"{self._root_path}/"):
            connection["path"] = connection["path"].removeprefix(self._root_path)
        direct = [(name, value) for name, value in connection["headers"] if not name.startswith(_BY_PROXIES)]
        connection[FORWARDED] = len(direct) < len(connection["headers"])
        peer = connection.get("client")
        if peer and peer[0] in self._behind_proxy.trusted_hosts:
            await self._behind_proxy(connection, receive, send)  # type: ignore[arg-type]
        else:
            connection["headers"] = direct
            await self._app(connection, receive, send)


def with_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that replays a body that was read already, then continues with `receive`."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return whole.pop() if whole else await receive()

    return receive_body
