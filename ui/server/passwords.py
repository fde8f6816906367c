"""Password sign-in: one line per user, with a slow salted hash.

    NAME:scrypt:15:8:3:SALT:HASH

`noted password NAME` makes such a line. The numbers are scrypt's: the logarithm of its cost, its block size and
its parallelism; salt and hash are in URL-safe base64.
"""

import asyncio
import hashlib
import hmac
import re
import secrets
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import InputError, SettingsError
from assistant.types import LONGEST_PERSON
from ui.server.asgi import with_body
from ui.server.identity import LOCAL_PERSON, network

SHORTEST_PASSWORD = 12
_LONGEST_PASSWORD = 1_000
_BYTES = 32  # of a salt, and of a hash
_LINE = re.compile(r"(?P<name>[^\s:]+):scrypt:(?P<costs>\d{1,2}:\d{1,2}:\d{1,2}):(?P<salt>\S+):(?P<hash>\S+)")
_HASHES_AT_ONCE = 2
_TRIES_PER_NAME = RateLimitItemPerMinute(10)
_TRIES_PER_ADDRESS = RateLimitItemPerMinute(60)

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
    """Password hashes by user name, at least one; Gradio calls `check`."""

    def __init__(self, hashes: Mapping[str, Hash]) -> None:
        self._hashes = dict(hashes)
        self._nobody: Hash = next(iter(hashes.values()))[0], secrets.token_bytes(_BYTES), secrets.token_bytes(_BYTES)
        self._working = asyncio.Semaphore(_HASHES_AT_ONCE)

    def knows(self, name: str) -> bool:
        """Return True if a user with this name may sign in."""
        return name in self._hashes

    async def check(self, name: str, password: str) -> bool:
        """Return True if name and password match. Unknown names take as long as wrong passwords."""
        costs, salt, value = self._hashes.get(name, self._nobody)
        async with self._working:
            found = await asyncio.to_thread(_scrypt, password[:_LONGEST_PASSWORD], costs, salt)
        return hmac.compare_digest(found, value) and self.knows(name)


class SignInMiddleware:
    """Middleware for sign-in: rate limits, one session cookie instead of Gradio's two, redirect after sign-out.

    Limits per minute, checked before any hash is computed: ten tries per name and address, so that nobody can lock a
    name elsewhere, and sixty per address. Browsers would send one of Gradio's two cookies unencrypted.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tries = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        asked = (connection["method"], connection["path"]) if connection["type"] == "http" else ("", "")
        if asked[1] == "/logout":
            send = partial(_send_back, send)
        elif asked == ("POST", "/login"):
            try:
                name, receive = await _name_and_body(connection, receive)
            except ClientDisconnect:
                return
            if not self._may_try(name, network(connection)):
                refusal = JSONResponse({"detail": "Too many tries. Please wait a minute, then try again."}, 429)
                await refusal(connection, receive, send)
                return
            send = partial(_send_one_cookie, send, connection["scheme"] == "https")
        await self._app(connection, receive, send)

    def _may_try(self, name: str, address: str) -> bool:
        # Names can be any text; short digests bound the memory they take.
        of_name = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:4]
        limits = self._tries
        return limits.hit(_TRIES_PER_NAME, address, of_name) and limits.hit(_TRIES_PER_ADDRESS, address)


async def _send_back(send: Send, message: Message) -> None:
    """Redirect by a relative address: Gradio's lacks the slash at the end of the root path."""
    if message["type"] == "http.response.start" and "location" in (headers := MutableHeaders(scope=message)):
        headers["location"] = "./"
    await send(message)


async def _send_one_cookie(send: Send, is_secure: bool, message: Message) -> None:
    if message["type"] == "http.response.start":
        headers = [
            (name, value)
            for name, value in message["headers"]
            if not (name == b"set-cookie" and value.startswith(b"access-token-"))
            or value.startswith(b"access-token-unsecure-") != is_secure
        ]
        message = {**message, "headers": headers}
    await send(message)


async def _name_and_body(connection: Connection, receive: Receive) -> tuple[str, Receive]:
    """Return the user name, empty if the form has none, and a `receive` that replays the body."""
    body = await Request(connection, receive).body()
    try:
        form = await Request(connection, with_body(body, receive)).form()
    except HTTPException:
        return "", with_body(body, receive)
    return str(form.get("username", "")).strip(), with_body(body, receive)


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
        raise SettingsError("There is nobody in NOTED_AUTH or NOTED_AUTH_FILE, so nobody could sign in.")
    return Passwords(hashes)


def format_password(name: str, password: str) -> str:
    """Return the line to store for a user. Raises InputError: name or password cannot be used."""
    check_name(name)
    if not SHORTEST_PASSWORD <= len(password) <= _LONGEST_PASSWORD:
        raise InputError(f"Please take a password of at least {SHORTEST_PASSWORD} characters.")
    return password_line(name, password)


def check_name(name: str) -> None:
    """Raise InputError if nobody can sign in by this name."""
    is_plain = name.isprintable() and not re.search(r"[\s:]", name) and not name.startswith("#")
    if not is_plain or not 0 < len(name) <= LONGEST_PERSON or name == LOCAL_PERSON:
        raise InputError(
            f"This name cannot be used. Please take one without spaces and colons, and not {LOCAL_PERSON!r}."
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
