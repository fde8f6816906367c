"""Trusted proxies: forwarded headers, and the root path below which a proxy serves the page."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from ui.server.identity import FORWARDED

_BY_PROXIES = (b"forwarded", b"via", b"x-forwarded-", b"x-gradio-server", b"x-real-ip")


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
