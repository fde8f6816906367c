"""Sign-in: passwords, Hugging Face, or none; and the access token of a loopback server.

A password is stored as a line with a slow, salted hash: NAME:scrypt:15:8:3:SALT:HASH. `noted password NAME` prints it.
The numbers are scrypt's: the logarithm of its cost, its block size and its parallelism; salt and hash are in URL-safe
base64. The session cookie is Gradio's.
"""

import asyncio
import hashlib
import hmac
import os
import re
import secrets
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.status import HTTP_303_SEE_OTHER, HTTP_401_UNAUTHORIZED, HTTP_429_TOO_MANY_REQUESTS
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import InputError, SettingsError
from assistant.settings import Settings
from assistant.types import LONGEST_PERSON
from ui.server import identity
from ui.server.request_policy import OAUTH, PAGE, PASSWORDS, HttpMiddleware, OpenPaths, with_headers

SHORTEST_PASSWORD = 12
_LONGEST_PASSWORD = 1_000
_BYTES = 32  # of a salt, and of a hash
_LINE = re.compile(r"(?P<name>[^\s:]+):scrypt:(?P<costs>\d{1,2}:\d{1,2}:\d{1,2}):(?P<salt>\S+):(?P<hash>\S+)")
_HASHES_AT_ONCE = 2
_TRIES_PER_NAME = RateLimitItemPerMinute(10)
_TRIES_PER_ADDRESS = RateLimitItemPerMinute(60)
_signing_in: ContextVar[str] = ContextVar("signing_in", default="")  # the address, which Gradio does not pass on

Costs = tuple[int, int, int]
Hash = tuple[Costs, bytes, bytes]
"""Costs of scrypt, salt and hash."""
COSTS: Costs = (15, 8, 3)  # recommended by OWASP: 32 MB and about a tenth of a second


def password_line(name: str, password: str, costs: Costs = COSTS) -> str:
    """Return the line of a user, unchecked."""
    salt = secrets.token_bytes(_BYTES)
    encoded = (urlsafe_b64encode(part).decode() for part in (salt, _scrypt(password, costs, salt)))
    return ":".join((name, "scrypt", *map(str, costs), *encoded))


class Passwords:
    """Password hashes by user name, at least one; Gradio calls `check`.

    Limits per minute, checked before any hash is computed: ten tries per name and address, so that nobody can lock a
    name elsewhere, and sixty per address.
    """

    def __init__(self, hashes: Mapping[str, Hash]) -> None:
        self._hashes = dict(hashes)
        self._nobody: Hash = next(iter(hashes.values()))[0], secrets.token_bytes(_BYTES), secrets.token_bytes(_BYTES)
        self._working = asyncio.Semaphore(_HASHES_AT_ONCE)
        self._tries = MovingWindowRateLimiter(MemoryStorage())

    def knows(self, name: str) -> bool:
        """Return True if a user with this name may sign in."""
        return name in self._hashes

    async def check(self, name: str, password: str) -> bool:
        """Return True if name and password match. Unknown names take as long as wrong passwords.

        Raises HTTPException: too many tries.
        """
        # Names can be any text; short digests bound the memory they take.
        of_name = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:4]
        tries, address = self._tries, _signing_in.get()
        if not (tries.hit(_TRIES_PER_NAME, address, of_name) and tries.hit(_TRIES_PER_ADDRESS, address)):
            raise HTTPException(HTTP_429_TOO_MANY_REQUESTS, "Too many attempts. Wait a minute, then try again.")
        costs, salt, value = self._hashes.get(name, self._nobody)
        async with self._working:
            found = await asyncio.to_thread(_scrypt, password[:_LONGEST_PASSWORD], costs, salt)
        return hmac.compare_digest(found, value) and self.knows(name)


class SignInMiddleware(HttpMiddleware):
    """Middleware for sign-in: one session cookie instead of Gradio's two, relative redirect after sign-out.

    Browsers would send one of Gradio's two cookies unencrypted.
    """

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["path"] == "/logout":
            # Gradio's address lacks the slash at the end of the root path.
            send = with_headers(send, lambda sent: sent.update({"location": "./"} if "location" in sent else {}))
        elif connection["path"] == "/login":
            _signing_in.set(identity.network(connection))
            send = with_headers(send, partial(_keep_one_cookie, connection["scheme"] == "https"))
        await self._app(connection, receive, send)


def _keep_one_cookie(is_secure: bool, headers: MutableHeaders) -> None:
    headers.raw[:] = [
        (name, value)
        for name, value in headers.raw
        if not (name == b"set-cookie" and value.startswith(b"access-token-"))
        or value.startswith(b"access-token-unsecure-") != is_secure
    ]


def load_passwords(lines: str | None, file: Path | None) -> Passwords | None:
    """Load the passwords of the settings, from lines and a file; None if neither is set.

    Raises SettingsError: a line cannot be read, or there is none.
    """
    if lines is None and file is None:
        return None
    hashes = _read((lines or "").split(), "NOTED_AUTH")
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeError) as error:
            raise SettingsError(f"NOTED_AUTH_FILE cannot be read: {file}.") from error
        kept = (line.strip() for line in text.splitlines())
        hashes |= _read((line for line in kept if line and not line.startswith("#")), "NOTED_AUTH_FILE")
    if not hashes:
        raise SettingsError("NOTED_AUTH and NOTED_AUTH_FILE name no users, so nobody could sign in.")
    return Passwords(hashes)


def format_password(name: str, password: str) -> str:
    """Return the line to store for a user. Raises InputError: name or password cannot be used."""
    check_name(name)
    if not SHORTEST_PASSWORD <= len(password) <= _LONGEST_PASSWORD:
        raise InputError(f"Use a password of at least {SHORTEST_PASSWORD} characters.")
    return password_line(name, password)


def check_name(name: str) -> None:
    """Raise InputError if nobody can sign in by this name."""
    is_plain = name.isprintable() and not re.search(r"[\s:]", name) and not name.startswith("#")
    if not is_plain or not 0 < len(name) <= LONGEST_PERSON or name == identity.LOCAL_PERSON:
        raise InputError(
            f"This name cannot be used. Choose one without spaces and colons, other than {identity.LOCAL_PERSON!r}."
        )


def _read(lines: Iterable[str], setting: str) -> dict[str, Hash]:
    hashes: dict[str, Hash] = {}
    for line in lines:
        try:
            found = _LINE.fullmatch(line)
            if found is None or found["name"] in hashes:
                raise ValueError
            check_name(found["name"])
            log, block, lanes = map(int, found["costs"].split(":"))
            salt, value = urlsafe_b64decode(found["salt"]), urlsafe_b64decode(found["hash"])
            if len(value) != _BYTES or not (10 <= log <= 20 and 1 <= block <= 32 and 1 <= lanes <= 16):
                raise ValueError
        except (ValueError, InputError):
            raise SettingsError(f"A line of {setting} cannot be used; make it with: noted password NAME") from None
        hashes[found["name"]] = (log, block, lanes), salt, value
    return hashes


def _scrypt(password: str, costs: Costs, salt: bytes) -> bytes:
    composed = unicodedata.normalize("NFKC", password).encode("utf-8", "replace")
    log, block, lanes = costs
    memory = 256 * (1 << log) * block  # twice what it needs
    return hashlib.scrypt(composed, salt=salt, n=1 << log, r=block, p=lanes, maxmem=memory, dklen=_BYTES)


_LOGIN, _LOGOUT = "login/huggingface", "logout"
_OAUTH_VARIABLES = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")
_LOCAL_COOKIE = "noted_local"


@dataclass(frozen=True, slots=True)
class SignIn:
    """Sign-in method of one server."""

    sources: tuple[identity.Source, ...] = ()  # in order of precedence
    visitors: identity.Visitors | None = None  # None if sign-in is required
    open_paths: tuple[OpenPaths, ...] = (PAGE,)
    passwords: Passwords | None = None
    enter: str = ""  # sign-in URL of Hugging Face, if offered

    def knows(self, person: str) -> bool:
        """Return True if this user can still sign in; False only for names without a password."""
        return self.passwords is None or self.passwords.knows(person)

    def account(self, person: str | None) -> dict[str, Any]:
        """Return the account for the header: name and sign-out URL, or sign-in URL."""
        if person is None or person == identity.LOCAL_PERSON or person.startswith(identity.VISITOR):
            return {"enter": self.enter}
        return {"name": person.removeprefix(identity.HUGGING_FACE), "leave": _LOGOUT}


def sign_in(settings: Settings, host: str, visitor_key: bytes, environment: Mapping[str, str] = os.environ) -> SignIn:
    """Choose the sign-in method of a server. Raises SettingsError: the passwords cannot be read."""
    passwords = load_passwords(settings.auth, settings.auth_file)
    if passwords:
        return SignIn((identity.read_password_user,), None, (PAGE, PASSWORDS), passwords)
    passing = settings.visitor_hours is not None
    visitors = identity.Visitors(visitor_key, framed=settings.on_spaces, passing=passing, root_path=settings.root_path)
    # Off Spaces, Gradio would sign everybody in as the owner of the machine.
    if environment.get("SYSTEM") == "spaces" and settings.on_spaces and all(map(environment.get, _OAUTH_VARIABLES)):
        return SignIn((identity.read_hugging_face_user,), visitors, (PAGE, OAUTH), enter=_LOGIN)
    local = identity.is_loopback(host) and not settings.on_spaces
    return SignIn((identity.local_user,) if local else (), visitors)


def local_token(key: bytes) -> str:
    """Return the token, derived from `key`: it survives restarts, so browsers need it once."""
    return hmac.digest(key, b"local token", "sha256").hex()


class LocalTokenMiddleware(HttpMiddleware):
    """Middleware that refuses requests without the token; a request with it in the query gets it as a cookie.

    Every account of a machine can reach a loopback server, which takes each for the local person. With
    `NOTED_LOCAL_TOKEN=on`, Noted prints an address with a token, to be opened once in each browser.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        super().__init__(app)
        self._token = token

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        request, path = Request(connection), connection["path"]
        # Programs have been checked. Gradio requests the startup events at launch; the response holds no data.
        passes = identity.PERSON in connection or path == "/gradio_api/startup-events"
        if passes or self._fits(request.cookies.get(_LOCAL_COOKIE)):
            await self._app(connection, receive, send)
        elif path == "/" and self._fits(request.query_params.get("token")):
            answer = RedirectResponse("./", HTTP_303_SEE_OTHER)
            answer.set_cookie(_LOCAL_COOKIE, self._token, httponly=True, samesite="strict")
            await answer(connection, receive, send)
        else:
            unknown = "Open the address that Noted printed when it started; it contains a token."
            await PlainTextResponse(unknown, HTTP_401_UNAUTHORIZED)(connection, receive, send)

    def _fits(self, token: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), self._token.encode())
