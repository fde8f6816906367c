"""What every response and request must keep to: which paths are open, headers, size, host, origin."""

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

LARGEST_REQUEST = 256 * 1024

# Scripts and style sheets are files of ours; nothing is loaded from, or sent to, anywhere else.
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
"""Paths that are open: for each method, a regular expression that fits a whole path."""


def _open(**paths: str) -> OpenPaths:
    return MappingProxyType({method: re.compile(pattern) for method, pattern in paths.items()})


# No longer than the names of files are on any system.
_READ = r"/|/robots\.txt|/static(/[0-9A-Za-z_][0-9A-Za-z_.@-]{0,99}){2,5}|/gradio_api/startup-events"
PAGE = _open(GET=_READ, HEAD=_READ, POST=r"/page/[a-z_]{1,40}/[a-z_]{1,40}")
"""All that the page needs, and what Gradio asks when it starts."""
HEALTH = _open(GET="/healthz", HEAD="/healthz")
"""What tells whether the server can work (`ui.server.health`)."""
PASSWORDS = _open(GET="/logout", POST="/login")
"""What signing in with a password needs, and signing out."""
OAUTH = _open(GET="/login/(huggingface|callback)|/logout")
"""What signing in with Hugging Face needs, and signing out."""
API = _open(
    GET="/mcp|/llms\\.txt|/api/openapi\\.json|/config|/gradio_api/(info|queue/data|heartbeat/\\w+)",
    POST="/mcp|/api/[a-z_]{1,40}|/gradio_api/queue/join",
    DELETE="/mcp",
)
"""What programs ask; `ui.programs.access` asks each for its token."""
API_PATH = re.compile(r"/api/|/mcp\Z|/config\Z|/gradio_api/(?!startup-events)")
# Files that are the same for everybody, which other pages cannot read all the same (cross-origin-resource-policy).
_PUBLIC = "/static/"
# What a link on another site may lead to; the second is the return from signing in there.
_ENTRANCES = frozenset({"/", "/login/callback"})
_ORIGIN = re.compile(r"(https?)://(.+)")
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^][:@/]*))(?::(\d*))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class _TooLarge(Exception):
    """The body of a request grew beyond the limit while it was read."""


class GuardMiddleware:
    """Refuses requests that are too large, from other sites, for other hosts or for what is not open; sets the security
    headers. How slow a request may be is decided before (`ui.server.bounds.connections`).

    It is the outermost layer but for `ForwardedMiddleware`: Gradio's own would answer every preflight, for any origin.

    It answers to these host `names`, `*` for anything: one of somebody else's may be made to lead here (DNS rebinding),
    and a browser then takes that somebody's page for one of ours. Pages at `origins`, host names on the default port,
    are its own too: a proxy may put another name in the place of the one asked for. `on_spaces`, Hugging Face may show
    it in a frame. The body of a request has `largest` bytes at most.
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
        size = 0
        begun = False

        async def refuse(sentence: str, status: int) -> None:
            await PlainTextResponse(sentence, status)(connection, receive, send_with_headers)

        async def receive_limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._largest:
                raise _TooLarge
            return message

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if size > self._largest and not begun:
                return  # what the application makes of the missing rest; the refusal below says it better
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
            if int(headers.get("content-length", "0")) > self._largest:
                raise _TooLarge
            await self._app(connection, receive_limited, send_with_headers)
        except _TooLarge:
            if begun:
                raise
            size = 0
            await refuse(f"Requests may have {self._largest:,} bytes.", 413)

    def _is_from_another_site(self, headers: Headers, connection: Connection) -> bool:
        """Return True if a browser says that a page of another origin sent this, and it is no link to the page.

        Both headers must agree: proxies may hide the host from one, and old browsers do not send the other.
        """
        path = connection["path"]
        if path.startswith(_PUBLIC):
            return False  # so that the page can say that it does not work at another address than the server's
        if API_PATH.match(path) and headers.get("authorization", "").partition(" ")[0].lower() == "bearer":
            return False  # no site can make a browser send a token that it does not have itself
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
            is_navigation = headers.get("sec-fetch-mode", "navigate") == "navigate"
            is_document = headers.get("sec-fetch-dest", "document") in self._entered_as
            is_link = connection["method"] in {"GET", "HEAD"} and path in _ENTRANCES
            if not (is_link and is_navigation and is_document):
                return True
        return not all(self._is_own(origin, headers, connection) for origin in headers.getlist("origin"))

    def _is_own(self, origin: str, headers: Headers, connection: Connection) -> bool:
        """Return True if an Origin is the address that was asked for, or a configured name on its default port.

        Where nothing tells that the browser's connection is encrypted, it may be, behind a proxy.
        """
        found = _ORIGIN.fullmatch(origin)
        if found is None:
            return False
        scheme, asking = found[1], _host_and_port(found[2], found[1])
        if asking in {(name, _DEFAULT_PORTS[scheme]) for name in self._origins}:
            return True
        seen = "https" if connection.get("scheme") == "https" else scheme
        forwarded = headers.get("x-forwarded-host", "").partition(",")[0].strip()  # only a configured proxy's is left
        asked = {_host_and_port(host, seen) for host in (headers.get("host", ""), forwarded)}
        return bool(asking[0]) and asking in asked


def host_name(headers: Headers) -> str:
    """The name, without port, by which a request calls this server; IPv6 addresses without brackets."""
    return _host_and_port(headers.get("host", ""), "http")[0]


def _host_and_port(host: str, scheme: str) -> tuple[str, str]:
    """Split a Host header; the name is in lower case, and empty where there is none."""
    found = _HOST.fullmatch(host.lower())
    return (found[1] or found[2], found[3] or _DEFAULT_PORTS[scheme]) if found else ("", "")
