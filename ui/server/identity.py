"""Whose memory a request is about. Decided by the server alone, never by what the page sends.

- Where the host keeps passwords (`ui.server.entrance`): whoever signed in with one; nobody else gets anything.
- Signed in with Hugging Face: `hf:` and their name there.
- On a server that only this machine can reach: the one local person.
- A program: whoever its token speaks for (`ui.programs.access`).
- Else: an anonymous visitor, one per browser, known by a signed cookie that scripts cannot read.

No two of these can have the same name: one who has a password has no colon in theirs, and is not called `local`.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import time
from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import NoIdentity
from assistant.types import Scope
from ui.server.guard import host_name

Source = Callable[[Connection], str | None]
"""Tells from a connection who it is, where it can."""
LOCAL_PERSON = "local"
VISITOR = "visitor:"
HUGGING_FACE = "hf:"
COOKIE = "noted_visitor"
ZONE_COOKIE = "noted_zone"
PERSON = "noted.person"
"""Where the middleware writes the person into a connection."""
FORWARDED = "noted.forwarded"
"""Where `ForwardedMiddleware` writes into a connection whether any header of a proxy came with it."""
_HUGGING_FACE_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")
_CUSTOMER_BITS = 64
_YEAR_SECONDS = 365 * 24 * 3600
_SECONDS_NEW = 10.0
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class NoVisitor(NoIdentity):
    code = "no_visitor"


def scope_of(connection: Connection) -> Scope:
    """Return the scope of a request. Raises NoVisitor: it is nobody's."""
    person = connection.get(PERSON)
    if not isinstance(person, str):
        raise NoVisitor
    return scope_of_person(person, connection)


def scope_of_person(person: str, connection: Connection) -> Scope:
    """The scope of whoever a connection is known to be of; a visitor is limited by the address as well."""
    address = network(connection) if person.startswith(VISITOR) else ""
    return Scope(person, address, _zone(_cookies(connection).get(ZONE_COOKIE, "")))


def is_new(person: str) -> bool:
    """Whether it is a visitor who got the cookie some seconds ago: one who drops it is new each time."""
    given = re.match(VISITOR + "([0-9a-f]{8})", person)
    return given is not None and abs(time.time() - int(given[1], 16)) < _SECONDS_NEW


def network(connection: Connection) -> str:
    """The address that a connection came from, or, of IPv6, the network that is given to one customer as a rule.

    Behind a configured proxy, the address for which the proxy asked (`ForwardedMiddleware` writes it there).
    """
    host: str = (connection.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((address, _CUSTOMER_BITS), strict=False))
    return str(address)


def bearer(connection: Connection) -> str | None:
    """The secret that a program sent, as in `Authorization: Bearer SECRET`; the page never looks at it."""
    kind, _, secret = Headers(scope=connection).get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None


def with_password(connection: Connection) -> str | None:
    """Who signed in with a password; Gradio keeps the tokens."""
    app = connection["app"]
    cookies = _cookies(connection)
    for name in (f"access-token-{app.cookie_id}", f"access-token-unsecure-{app.cookie_id}"):
        if name in cookies and (person := app.tokens.get(cookies[name])):
            return str(person)
    return None


def with_hugging_face(connection: Connection) -> str | None:
    """Who signed in with Hugging Face, by the session that Gradio keeps in a signed cookie, until it ends."""
    told = connection.get("session", {}).get("oauth_info")
    if not isinstance(told, dict) or not told.get("expires_at", 0) > time.time():
        return None
    name = told.get("userinfo", {}).get("preferred_username")
    return HUGGING_FACE + name if isinstance(name, str) and _HUGGING_FACE_NAME.fullmatch(name) else None


def on_this_machine(connection: Connection) -> str | None:
    """The local person, of a server that listens to this machine only.

    Requests that came through a proxy, or for another host name, are no local ones even then. A proxy may put its own
    host name in the place of the one asked for; many then speak HTTP/1.0, as no browser does.
    """
    is_local = host_name(Headers(scope=connection)) in LOOPBACK and connection.get("http_version") != "1.0"
    return LOCAL_PERSON if is_local and not connection.get(FORWARDED, True) else None


class Visitors:
    """Names of anonymous visitors that only this server can have given.

    With the same secret `key`, they are known again after a restart, and by other replicas. Where the page may be shown
    within another site's (`framed`), a browser keeps the cookie apart for that site, and sends it only over a secure
    connection. Where visitors are `passing`, a browser forgets who it is when it is closed. Other servers may be shown
    below other paths of the same host, so the cookie is for this one's `root_path`.
    """

    def __init__(self, key: bytes, *, framed: bool = False, passing: bool = False, root_path: str = "") -> None:
        self._key = key
        self._framed = framed
        self._path = root_path or "/"
        self._lasts = "" if passing else f"; Max-Age={_YEAR_SECONDS}"

    def __call__(self, connection: Connection) -> str | None:
        return self.person(_cookies(connection).get(COOKIE, ""))

    def person(self, cookie: str) -> str | None:
        """Who a cookie names; None where this server did not write it."""
        if not re.fullmatch(r"[0-9a-f]{32}\.[0-9a-f]{64}", cookie):
            return None
        name = cookie.partition(".")[0]
        return VISITOR + name if hmac.compare_digest(self._signed(name), cookie) else None

    def welcome(self, connection: Connection, send: Send) -> tuple[str, Send]:
        """Somebody who was not here before: who they are, and how to answer so that their browser gets the cookie."""
        value = self.new()
        secure = connection["scheme"] == "https"
        site = "SameSite=None; Partitioned" if secure and self._framed else "SameSite=Lax"
        cookie = f"{COOKIE}={value}; Path={self._path}{self._lasts}; HttpOnly; {'Secure; ' if secure else ''}{site}"

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        return VISITOR + value.partition(".")[0], send_with_cookie

    def new(self) -> str:
        """The value of a cookie for somebody who was not here before; it begins with the time, so that age is told."""
        return self._signed(f"{int(time.time()):08x}{secrets.token_hex(12)}")

    def _signed(self, name: str) -> str:
        return f"{name}.{hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()}"


class IdentityMiddleware:
    """Writes into each connection whose it is, and gives a cookie to a visitor who opens the page without one.

    A program is known already (`ui.programs.access`). For everybody else the sources are asked in turn, visitors last;
    None where nobody may come without signing in.
    """

    def __init__(self, app: ASGIApp, sources: Sequence[Source], visitors: Visitors | None) -> None:
        self._app = app
        self._sources: list[Source] = [*sources, *([visitors] if visitors else [])]
        self._visitors = visitors

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http" or PERSON in connection:
            await self._app(connection, receive, send)
            return
        person = connection[PERSON] = next(filter(None, (source(connection) for source in self._sources)), None)
        accepted = Headers(scope=connection).get("accept", "")
        if person is None and self._visitors and connection["method"] == "GET" and "text/html" in accepted:
            _, send = self._visitors.welcome(connection, send)
        await self._app(connection, receive, send)


def _zone(name: str) -> ZoneInfo | None:
    """Return the time zone with this name, which a browser sent; None where there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, no possible name, or the name of a folder
        return None


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host can be reached from this machine only."""
    return host.strip("[]") in LOOPBACK


def _cookies(connection: Connection) -> dict[str, str]:
    return cookie_parser(Headers(scope=connection).get("cookie", ""))
