"""Request and response policy: allowed paths, security headers, size, Host and Origin checks."""

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

LARGEST_REQUEST = 256 * 1024
LARGEST_FILE = 32_000_000
"""Maximum bytes of an import."""

# Content Security Policy: scripts and style sheets are our own files; no other origin is contacted.
_CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
    )
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
"""Path of the health check (`ui.server.health`)."""
PASSWORDS = _open(GET="/logout", POST="/login")
"""Paths of password sign-in and sign-out."""
OAUTH = _open(GET="/login/(huggingface|callback)|/logout")
"""Paths of sign-in with Hugging Face, and sign-out."""
API = _open(
    GET="/mcp|/llms\\.txt|/api/openapi\\.json|/config|/gradio_api/(info|queue/data|heartbeat/\\w+)",
    POST="/mcp|/api/[a-z_]{1,40}|/gradio_api/queue/join",
    DELETE="/mcp",
)
"""Paths of the API; `ui.programs.api` checks the token of each request."""
API_PATH = re.compile(r"/api/|/mcp\Z|/config\Z|/gradio_api/(?!startup-events)")
# Static files hold nothing private; cross-origin-resource-policy still keeps other sites from reading them.
_PUBLIC = "/static/"
# Targets of links from other sites; the second is the OAuth callback.
_ENTRANCES = frozenset({"/", "/login/callback"})
_ORIGIN = re.compile(r"(https?)://(.+)")
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^][:@/]*))(?::(\d*))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class _TooLarge(Exception):
    """The request body exceeded the limit while it was read."""


class GuardMiddleware:
    """Policy middleware: it refuses requests by size, Origin, Host and path, and sets the security headers.

    Only `ForwardedMiddleware` is further out: Gradio's middleware would answer preflights of any Origin. Timeouts
    are in `ui.server.bounds.connections`.

    Args:
        app: the application.
        open_paths: allowed paths.
        names: accepted Host names, against DNS rebinding; `*` for any.
        origins: names accepted in Origin on the default port, for proxies that rewrite the Host.
        on_spaces: allow framing by Hugging Face.
        largest: limit of the request body, in bytes.
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
        headers = Headers(scope=connection)
        largest = LARGEST_FILE if connection["path"] == IMPORT else self._largest
        size = 0
        begun = False

        async def refuse(sentence: str, status: int) -> None:
            await PlainTextResponse(sentence, status)(connection, receive, send_with_headers)

        async def receive_limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > largest:
                raise _TooLarge
            return message

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if size > largest and not begun:
                return  # drop the application's response to the cut body; the refusal below replaces it
            if message["type"] == "http.response.start":
                begun = True
                answered = MutableHeaders(scope=message)
                answered.update(self._headers)
                for name in [name for name in answered if name.startswith("access-control-")]:
                    del answered[name]
            await send(message)

        if not any(fnmatchcase(host_name(headers), name) for name in self._names):
            await refuse("This server does not answer to that name; whoever runs it can add it.", 421)
            return
        if self._is_from_another_site(headers, connection):
            await refuse("Requests from other sites are refused.", 403)
            return
        fitting = (paths.get(connection["method"]) for paths in self._open)
        if not any(paths and paths.fullmatch(connection["path"]) for paths in fitting):
            await refuse("Not found.", 404)
            return
        try:
            if int(headers.get("content-length", "0")) > largest:
                raise _TooLarge
            await self._app(connection, receive_limited, send_with_headers)
        except _TooLarge:
            if begun:
                raise
            size = 0
            await refuse(f"Requests may have {largest:,} bytes.", 413)

    def _is_from_another_site(self, headers: Headers, connection: Connection) -> bool:
        """Return True if another origin sent this request, unless it is a link to the page.

        Both Sec-Fetch-Site and Origin must agree: proxies may rewrite the Host, and old browsers send only Origin.
        """
        path = connection["path"]
        if path.startswith(_PUBLIC):
            return False  # so that the page can report that it does not work at this address
        if API_PATH.match(path) and headers.get("authorization", "").partition(" ")[0].lower() == "bearer":
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
