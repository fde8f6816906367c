"""Which language a page is in, and how its texts reach it.

The browser keeps what the person chose in a cookie, so that the server knows it, too; before that, the languages that
the browser asks for decide. The texts stand in the page itself, once, for all its scripts.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from ui.server.asgi import whole_answer
from ui.server.identity import ZONE_COOKIE
from ui.words.texts import DEFAULT_LANGUAGE, languages, texts

if TYPE_CHECKING:
    import gradio as gr

COOKIE = "noted_language"
LANGUAGE = "noted.language"
"""Where the middleware writes the language into a connection."""
_SCRIPT = Path(__file__).with_name("head.js")
_END_OF_HEAD = b"</head>"
# Gradio names one that it has only where the page can be installed; browsers ask for it and note an error.
_MANIFEST = re.compile(rb'<link rel="manifest"[^<>]*>')
_LEVEL = 6  # of gzip: a further one takes longer and makes next to nothing smaller


def language_of(request: gr.Request) -> str:
    """The language of the page that a request comes from."""
    return str(request.request.scope.get(LANGUAGE, DEFAULT_LANGUAGE)) if request.request else DEFAULT_LANGUAGE


def chosen_language(headers: Headers) -> str:
    """What the person chose, else the first language that the browser asks for and the page has."""
    chosen = cookie_parser(headers.get("cookie", "")).get(COOKIE)
    wanted = [chosen] if chosen else _asked_for(headers.get("accept-language", ""))
    return next((language for language in wanted if language in languages()), DEFAULT_LANGUAGE)


def _asked_for(accepted: str) -> list[str]:
    """The languages of an `Accept-Language`, best first, without their regions."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.lower().split(","):
        tag, _, weight = part.strip().partition(";q=")
        try:
            weighted.append((-float(weight or 1), tag.partition("-")[0]))
        except ValueError:
            continue
    return [language for _, language in sorted(weighted, key=lambda pair: pair[0])]


class LanguageMiddleware:
    """Writes the language into each connection, and its texts into the head of the page and of that for signing in.

    They are compressed here, because Gradio compresses only what has the name of a file.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._scripts = {language: _script(language) for language in languages()}  # now, not with the first page

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http":
            await self._app(connection, receive, send)
            return
        headers = Headers(scope=connection)
        language = connection[LANGUAGE] = chosen_language(headers)
        if connection["method"] not in {"GET", "HEAD"} or connection["path"] != "/":
            await self._app(connection, receive, send)
            return
        start, body = await whole_answer(self._app, connection, receive)
        compressed = "gzip" in headers.get("accept-encoding", "")
        content = await run_in_threadpool(_as_sent, body, self._scripts[language], compressed=compressed)
        answered = MutableHeaders(scope=start)
        answered["content-length"] = str(len(content))
        answered.add_vary_header("Cookie, Accept-Language, Accept-Encoding")
        if compressed:
            answered["content-encoding"] = "gzip"
        await send(start)
        await send({"type": "http.response.body", "body": content})


@lru_cache(maxsize=16)
def _as_sent(page: bytes, script: bytes, *, compressed: bool) -> bytes:
    """A page as it is sent. Compressing takes longer than all else about it, and pages are the same for all."""
    content = _MANIFEST.sub(b"", page, 1).replace(_END_OF_HEAD, script + _END_OF_HEAD, 1)
    return gzip.compress(content, _LEVEL) if compressed else content


def _script(language: str) -> bytes:
    names = {code: texts(code)["language_name"] for code in languages()}
    given = {
        "language": language,
        "languages": names,
        "cookie": COOKIE,
        "zone_cookie": ZONE_COOKIE,
        "words": dict(texts(language)),
    }
    # No "<": nothing in it can end the script.
    data = json.dumps(given, ensure_ascii=False).replace("<", "\\u003c")
    return f"<script>window.noted = {data};\n{_SCRIPT.read_text(encoding='utf-8')}</script>".encode()
