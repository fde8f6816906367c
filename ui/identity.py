"""Whose memory a request is about. Decided by the server alone, never by what the page sends.

- Signed in: the person is the user.
- A server that only this machine can reach: the one local person.
- Else: an anonymous visitor, one per browser, known by a signed cookie that scripts cannot read.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders

from assistant.errors import NoIdentity
from assistant.types import Scope

if TYPE_CHECKING:
    import gradio as gr
    from starlette.types import ASGIApp, Message, Receive, Send
    from starlette.types import Scope as Connection

LOCAL_PERSON = "local"
VISITOR = "visitor:"
COOKIE = "noted_visitor"
_PERSON = "noted.person"
_YEAR_SECONDS = 365 * 24 * 3600
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class NoVisitor(NoIdentity):
    sentence = "Your browser did not say who you are. Please allow cookies for this page and load it again."


def scope_of(request: gr.Request) -> Scope:
    """The scope of a request that Gradio hands to a handler.

    Raises:
        NoIdentity: nobody is signed in, and the request has no visitor.
    """
    if request.username is not None:
        if request.username.startswith(VISITOR):
            raise NoIdentity
        return Scope(request.username)
    person = request.request.scope.get(_PERSON) if request.request else None
    if not isinstance(person, str):
        raise NoVisitor
    return Scope(person)


class Visitors:
    """Names of anonymous visitors that only this server can have given.

    Args:
        key: secret bytes. With the same key, visitors are known again after a restart, and by other replicas.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def new(self) -> str:
        """The value of a cookie for somebody who was not here before."""
        return self._signed(secrets.token_hex(16))

    def person(self, cookie: str) -> str | None:
        """Who a cookie names; None where this server did not write it."""
        if not re.fullmatch(r"[0-9a-f]{32}\.[0-9a-f]{64}", cookie):
            return None
        name = cookie.partition(".")[0]
        return VISITOR + name if hmac.compare_digest(self._signed(name), cookie) else None

    def _signed(self, name: str) -> str:
        return f"{name}.{hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()}"


class IdentityMiddleware:
    """Writes into each connection whose it is, and gives a cookie to a visitor who opens the page without one.

    Args:
        app: what comes next.
        visitors: names and knows visitors.
        local: whether the server listens to this machine only. Requests that came through a proxy, or for another host
            name, are no local ones even then.
    """

    def __init__(self, app: ASGIApp, visitors: Visitors, *, local: bool) -> None:
        self._app = app
        self._visitors = visitors
        self._local = local

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http":
            await self._app(connection, receive, send)
            return
        headers = Headers(scope=connection)
        if self._local and _is_local(headers):
            connection[_PERSON] = LOCAL_PERSON
            await self._app(connection, receive, send)
            return
        person = self._visitors.person(_cookie(headers))
        connection[_PERSON] = person
        opens_the_page = connection["method"] == "GET" and "text/html" in headers.get("accept", "")
        if person is not None or not opens_the_page:
            await self._app(connection, receive, send)
            return
        cookie = self._cookie_header(secure=_is_secure(connection, headers))

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self._app(connection, receive, send_with_cookie)

    def _cookie_header(self, *, secure: bool) -> str:
        cookie = f"{COOKIE}={self._visitors.new()}; Path=/; Max-Age={_YEAR_SECONDS}; HttpOnly; SameSite=Lax"
        return cookie + "; Secure" if secure else cookie


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host can be reached from this machine only."""
    return host in _LOOPBACK


def _is_local(headers: Headers) -> bool:
    return _host_name(headers.get("host", "")) in _LOOPBACK and not any(name in headers for name in _FORWARDED)


def _host_name(host: str) -> str:
    return host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]


def _is_secure(connection: dict[str, Any] | Connection, headers: Headers) -> bool:
    return "https" in (connection.get("scheme"), headers.get("x-forwarded-proto"))


def _cookie(headers: Headers) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""
