"""Which language a page is in.

The browser keeps the choice of the user in a cookie, so that the server knows it, too; before that, the languages that
the browser asks for decide.
"""

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from ui.words.texts import DEFAULT_LANGUAGE, languages

COOKIE = "noted_language"
LANGUAGE = "noted.language"
"""Where the middleware writes the language into a connection."""


def language_of(connection: Connection) -> str:
    """Return the language of the page that a request comes from."""
    return str(connection.get(LANGUAGE, DEFAULT_LANGUAGE))


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
    """Writes the language of the page into each connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] == "http":
            connection[LANGUAGE] = chosen_language(Headers(scope=connection))
        await self._app(connection, receive, send)
