"""Identity: the server alone decides whose memory a request may read, never the page; also its language and time zone.

- With passwords (`ui.server.sign_in`): the user name; nobody else gets in.
- Signed in with Hugging Face: `hf:` and the name there.
- On a loopback server: the one local person.
- A program: the user of its API token (`ui.programs.api`).
- Else: an anonymous visitor, one per browser, by a signed HttpOnly cookie.

Names cannot collide: those with a password have no colon and are never `local`.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import time
from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import NoIdentity
from assistant.types import Scope
from ui.server.request_policy import FORWARDED, HttpMiddleware, host_name, with_headers
from ui.words.texts import DEFAULT_LANGUAGE, languages

Source = Callable[[Connection], str | None]
"""Identify the user of a connection; None if it cannot."""
LOCAL_PERSON = "local"
VISITOR = "visitor:"
HUGGING_FACE = "hf:"
COOKIE = "noted_visitor"
ZONE_COOKIE = "noted_zone"
LANGUAGE_COOKIE = "noted_language"
PERSON = "noted.person"
"""Key of the user in a connection; set by middleware."""
_HUGGING_FACE_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")
_CUSTOMER_BITS = 64
_YEAR_SECONDS = 365 * 24 * 3600
_SECONDS_NEW = 10.0
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class NoVisitor(NoIdentity):
    code = "no_visitor"


def scope_of(connection: Connection) -> Scope:
    """Return the scope of a request. Raises NoVisitor: it has no user."""
    person = connection.get(PERSON)
    if not isinstance(person, str):
        raise NoVisitor
    return scope_of_person(person, connection)


def scope_of_person(person: str, connection: Connection) -> Scope:
    """Return the scope of a user; visitors also have an address, for rate limits."""
    address = network(connection) if person.startswith(VISITOR) else ""
    try:
        zone = ZoneInfo(_cookies(connection).get(ZONE_COOKIE, ""))
    except (KeyError, ValueError, OSError):  # unknown, invalid, or the name of a folder
        zone = None
    return Scope(person, address, zone)


def language_of(connection: Connection) -> str:
    """Return the language that the user chose, else the first available one that the browser accepts."""
    if chosen := _cookies(connection).get(LANGUAGE_COOKIE):
        return chosen if chosen in languages() else DEFAULT_LANGUAGE
    accepted = Headers(scope=connection).get("accept-language", "").lower()
    weighted = re.findall(r"([a-z]+)[-a-z0-9]*(?: *; *q=(\d(?:\.\d+)?))?", accepted)  # without regions
    ordered = sorted(weighted, key=lambda one: -float(one[1] or 1))
    return next((language for language, _ in ordered if language in languages()), DEFAULT_LANGUAGE)


def is_new(person: str) -> bool:
    """Return True if a visitor got the cookie seconds ago: clients that drop it are new each time."""
    given = re.match(VISITOR + "([0-9a-f]{8})", person)
    return given is not None and abs(time.time() - int(given[1], 16)) < _SECONDS_NEW


def network(connection: Connection) -> str:
    """Return the client's address, or for IPv6 its /64 network, which one customer usually has.

    Behind a configured proxy, `ForwardedMiddleware` has put the client's address there.
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


def read_password_user(connection: Connection) -> str | None:
    """Return the user who signed in with a password, by Gradio's session tokens."""
    app = connection["app"]
    cookies = _cookies(connection)
    for name in (f"access-token-{app.cookie_id}", f"access-token-unsecure-{app.cookie_id}"):
        if name in cookies and (person := app.tokens.get(cookies[name])):
            return str(person)
    return None


def read_hugging_face_user(connection: Connection) -> str | None:
    """Return the user who signed in with Hugging Face, by Gradio's signed session cookie, until it expires."""
    told = connection.get("session", {}).get("oauth_info")
    if not isinstance(told, dict) or not told.get("expires_at", 0) > time.time():
        return None
    name = told.get("userinfo", {}).get("preferred_username")
    return HUGGING_FACE + name if isinstance(name, str) and _HUGGING_FACE_NAME.fullmatch(name) else None


def local_user(connection: Connection) -> str | None:
    """Return the local person if the request reached a loopback server directly.

    Requests through a proxy or for another Host are not local. A proxy may rewrite the Host; many then speak HTTP/1.0,
    which no browser does.
    """
    is_local = host_name(Headers(scope=connection)) in LOOPBACK and connection.get("http_version") != "1.0"
    return LOCAL_PERSON if is_local and not connection.get(FORWARDED, True) else None


class Visitors:
    """Signed names of anonymous visitors, by a `key` that restarts and replicas share.

    If another site may frame the page (`framed`), the cookie is partitioned and SameSite=None over HTTPS. A `passing`
    one ends with the browser.
    """

    def __init__(self, key: bytes, *, framed: bool = False, passing: bool = False, root_path: str = "") -> None:
        self._key = key
        self._framed = framed
        self._path = root_path or "/"
        self._lasts = "" if passing else f"; Max-Age={_YEAR_SECONDS}"

    def __call__(self, connection: Connection) -> str | None:
        return self.person(_cookies(connection).get(COOKIE, ""))

    def person(self, cookie: str) -> str | None:
        """Return the visitor that a cookie names; None if this server did not sign it."""
        if not re.fullmatch(r"[0-9a-f]{32}\.[0-9a-f]{64}", cookie):
            return None
        name = cookie[:32]
        return VISITOR + name if hmac.compare_digest(self._signed(name), cookie) else None

    def welcome(self, connection: Connection, send: Send) -> tuple[str, Send]:
        """Return a new visitor, and a `send` that sets their cookie."""
        value = self.new()
        secure = connection["scheme"] == "https"
        site = "SameSite=None; Partitioned" if secure and self._framed else "SameSite=Lax"
        cookie = f"{COOKIE}={value}; Path={self._path}{self._lasts}; HttpOnly; {'Secure; ' if secure else ''}{site}"
        return VISITOR + value.partition(".")[0], with_headers(send, lambda sent: sent.append("set-cookie", cookie))

    def new(self) -> str:
        """Return the cookie of a new visitor; it begins with the time, for `is_new`."""
        return self._signed(f"{int(time.time()):08x}{secrets.token_hex(12)}")

    def _signed(self, name: str) -> str:
        return f"{name}.{hmac.digest(self._key, name.encode(), 'sha256').hex()}"


class IdentityMiddleware(HttpMiddleware):
    """Middleware that writes the user into each connection, and gives new visitors a cookie.

    Programs have one already (`ui.programs.api`). Otherwise the first source that knows one decides, visitors last.
    """

    def __init__(self, app: ASGIApp, sources: Sequence[Source], visitors: Visitors | None) -> None:
        super().__init__(app)
        self._sources: list[Source] = [*sources, *([visitors] if visitors else [])]
        self._visitors = visitors

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        if PERSON not in connection:
            person = connection[PERSON] = next(filter(None, (source(connection) for source in self._sources)), None)
            accepted = Headers(scope=connection).get("accept", "")
            if person is None and self._visitors and connection["method"] == "GET" and "text/html" in accepted:
                _, send = self._visitors.welcome(connection, send)
        await self._app(connection, receive, send)


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach a server at this host."""
    return host.strip("[]") in LOOPBACK


def _cookies(connection: Connection) -> dict[str, str]:
    return cookie_parser(Headers(scope=connection).get("cookie", ""))
