"""Request and response policy: allowed paths, size, Host and Origin (CSRF), proxies, headers, content security policy.

Also answers the health check.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from assistant.errors import NotedError

FORWARDED = "noted.forwarded"
"""Key set by `ForwardedMiddleware`: True if the connection came with any header of a proxy."""
_BY_PROXIES = (b"forwarded", b"via", b"x-forwarded-", b"x-gradio-server", b"x-real-ip")


class HttpMiddleware:
    """Middleware that passes on everything but HTTP requests, which its `serve` answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        await (self.serve if connection["type"] == "http" else self._app)(connection, receive, send)

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Answer a request."""
        raise NotImplementedError


class HealthMiddleware(HttpMiddleware):
    """Health check at `/healthz`, without sign-in: 200, or 503 if `check` raises NotedError."""

    def __init__(self, app: ASGIApp, check: Callable[[], None]) -> None:
        super().__init__(app)
        self._check = check

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["path"] != "/healthz":
            await self._app(connection, receive, send)
            return
        response = JSONResponse({"ok": True})
        try:
            await run_in_threadpool(self._check)
        except NotedError:
            response = JSONResponse({"ok": False}, 503)
        response.headers["cache-control"] = "no-store"
        await response(connection, receive, send)


class ForwardedMiddleware(HttpMiddleware):
    """Middleware that applies forwarded headers of configured `proxies`, removes others, and strips `root_path`.

    Proxies may strip the path themselves, or leave it to this.
    """

    def __init__(self, app: ASGIApp, proxies: Iterable[str], root_path: str = "") -> None:
        super().__init__(app)
        self._behind_proxy = ProxyHeadersMiddleware(app, list(proxies))  # type: ignore[arg-type]  # types of its own
        self._root_path = root_path

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
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


def bearer(connection: Connection) -> str | None:
    """Return the secret of `Authorization: Bearer SECRET`; the page never reads it."""
    kind, _, secret = Headers(scope=connection).get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None


def with_headers(send: Send, change: Callable[[MutableHeaders], None]) -> Send:
    """Return a `send` that changes the headers of the response first."""

    async def send_changed(message: Message) -> None:
        if message["type"] == "http.response.start":
            change(MutableHeaders(scope=message))
        await send(message)

    return send_changed


LARGEST_REQUEST = 256 * 1024
LARGEST_FILE = 32_000_000  # bytes of an import
LARGEST_CHAT = 4_000_000  # bytes of a chat that a program sends whole, with pictures

# Content Security Policy: scripts and style sheets are our own files; no other origin is contacted.
_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'self'; form-action 'self'"
)
_FRAMES = {False: "'self'", True: "'self' https://huggingface.co https://*.hf.space"}
OpenPaths = Mapping[str, re.Pattern[str]]
"""Allowed paths: a regular expression for the whole path, by method."""


def _open(**paths: str) -> OpenPaths:
    return MappingProxyType({method: re.compile(pattern) for method, pattern in paths.items()})


# File names are at most this long on every system.
_READ = r"/|/robots\.txt|/static(/[0-9A-Za-z_][0-9A-Za-z_.@-]{0,99}){2,5}|/gradio_api/startup-events"
PAGE = _open(GET=_READ, HEAD=_READ, POST=r"/page/[a-z_]{1,40}/[a-z_]{1,40}")
"""Paths of the page, and of Gradio's request at launch."""
IMPORT = "/page/import/take_in"
"""Path of the only request that sends a file."""
HEALTH = _open(GET="/healthz", HEAD="/healthz")
"""Path of the health check (`ui.server.request_policy`)."""
PASSWORDS = _open(GET="/logout", POST="/login")
"""Paths of password sign-in and sign-out."""
OAUTH = _open(GET="/login/(huggingface|callback)|/logout")
"""Paths of sign-in with Hugging Face, and sign-out."""
API = _open(
    GET="/v1/models(/[\\w.:/-]{1,120})?|/mcp|/llms\\.txt|/api/openapi\\.json",
    POST="/v1/chat/completions|/mcp|/api/[a-z_]{1,40}",
    DELETE="/mcp",
)
API_PATH = re.compile(r"/api/|/v1/|/mcp\Z")
CHAT = "/v1/chat/completions"
_LARGER = {IMPORT: LARGEST_FILE, CHAT: LARGEST_CHAT}
# Static files hold nothing private; cross-origin-resource-policy still keeps other sites from reading them.
_PUBLIC = "/static/"
# Targets of links from other sites; the second is the OAuth callback.
_ENTRANCES = frozenset({"/", "/login/callback"})
_ORIGIN = re.compile(r"(https?)://(.+)")
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^][:@/]*))(?::(\d*))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class GuardMiddleware:
    """Policy middleware: it refuses requests by size, Origin, Host and path, and sets the security headers.

    Only `ForwardedMiddleware` is further out: Gradio's middleware would answer preflights of any Origin. `names` are
    accepted as Host, against DNS rebinding, and `origins` in Origin on the default port, for proxies that rewrite the
    Host; Hugging Face may frame the page `on_spaces`; `largest` bounds the request body, in bytes.
    """

    def __init__(
        self,
        app: ASGIApp,
        open_paths: Sequence[OpenPaths] = (PAGE,),
        *,
        names: Collection[str] = ("*",),
        origins: Collection[str] = (),
        on_spaces: bool = False,
        largest: int = LARGEST_REQUEST,
    ) -> None:
        self._app = app
        self._names = names
        self._open = open_paths
        self._origins = origins
        self._entered_as = {"document", "iframe"} if on_spaces else {"document"}
        self._largest = largest
        self._headers = {
            "content-security-policy": f"{_CONTENT_POLICY}; frame-ancestors {_FRAMES[on_spaces]}",
            "x-content-type-options": "nosniff",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "same-origin",
            "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        }

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] == "lifespan":
            await self._app(connection, receive, send)
            return
        if connection["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        largest = _LARGER.get(connection["path"], self._largest)
        app = self._refusal(connection, largest) or RequestBodyLimitMiddleware(self._app, largest)
        await app(connection, receive, with_headers(send, self._secure))

    def _secure(self, answered: MutableHeaders) -> None:
        answered.update(self._headers)
        for name in [name for name in answered if name.startswith("access-control-")]:
            del answered[name]

    def _refusal(self, connection: Connection, largest: int) -> PlainTextResponse | None:
        headers = Headers(scope=connection)
        if not any(fnmatchcase(host_name(headers), name) for name in self._names):
            return PlainTextResponse(
                "This server does not accept that host name. Its host can add it to NOTED_NAMES.", 421
            )
        if self._is_from_another_site(headers, connection):
            return PlainTextResponse("Requests from other sites are refused.", 403)
        fitting = (paths.get(connection["method"]) for paths in self._open)
        if not any(paths and paths.fullmatch(connection["path"]) for paths in fitting):
            return PlainTextResponse("Not found. /llms.txt lists what programs can call.", 404)
        if int(headers.get("content-length", "0")) > largest:
            return PlainTextResponse(f"Requests may have {largest:,} bytes at most.", 413)
        return None

    def _is_from_another_site(self, headers: Headers, connection: Connection) -> bool:
        """Return True if another origin sent this request, unless it is a link to the page.

        Both Sec-Fetch-Site and Origin must agree: proxies may rewrite the Host, and old browsers send only Origin.
        """
        path = connection["path"]
        if path.startswith(_PUBLIC):
            return False  # so that the page can report that it does not work at this address
        if API_PATH.match(path) and bearer(connection) is not None:
            return False  # no site can make a browser send a token that it does not know
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
            is_navigation = headers.get("sec-fetch-mode", "navigate") == "navigate"
            is_document = headers.get("sec-fetch-dest", "document") in self._entered_as
            is_link = connection["method"] in {"GET", "HEAD"} and path in _ENTRANCES
            if not (is_link and is_navigation and is_document):
                return True
        return not all(self._is_own(origin, headers, connection) for origin in headers.getlist("origin"))

    def _is_own(self, origin: str, headers: Headers, connection: Connection) -> bool:
        """Return True if an Origin is the requested address, or a configured name on its default port.

        A proxy may hide that the browser's connection is encrypted, so the scheme of the Origin is accepted.
        """
        found = _ORIGIN.fullmatch(origin)
        if found is None:
            return False
        scheme, asking = found[1], _host_and_port(found[2], found[1])
        if asking in {(name, _DEFAULT_PORTS[scheme]) for name in self._origins}:
            return True
        seen = "https" if connection.get("scheme") == "https" else scheme
        forwarded = headers.get("x-forwarded-host", "").partition(",")[0].strip()  # a configured proxy's
        asked = {_host_and_port(host, seen) for host in (headers.get("host", ""), forwarded)}
        return bool(asking[0]) and asking in asked


def host_name(headers: Headers) -> str:
    """Return the Host without port; IPv6 addresses without brackets."""
    return _host_and_port(headers.get("host", ""), "http")[0]


def _host_and_port(host: str, scheme: str) -> tuple[str, str]:
    """Split a Host header into lower-case name and port; empty if it is invalid."""
    found = _HOST.fullmatch(host.lower())
    return (found[1] or found[2], found[3] or _DEFAULT_PORTS[scheme]) if found else ("", "")
