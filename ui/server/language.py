"""Language of the page: the cookie of the user's choice, else the Accept-Language header."""

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope as Connection

from ui.words.texts import DEFAULT_LANGUAGE, languages

COOKIE = "noted_language"


def language_of(connection: Connection) -> str:
    """Return the language that the user chose, else the first available one that the browser accepts."""
    headers = Headers(scope=connection)
    chosen = cookie_parser(headers.get("cookie", "")).get(COOKIE)
    wanted = [chosen] if chosen else _asked_for(headers.get("accept-language", ""))
    return next((language for language in wanted if language in languages()), DEFAULT_LANGUAGE)


def _asked_for(accepted: str) -> list[str]:
    """Return the languages of an Accept-Language header, best first, without regions."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.lower().split(","):
        tag, _, weight = part.strip().partition(";q=")
        try:
            weighted.append((-float(weight or 1), tag.partition("-")[0]))
        except ValueError:
            continue
    return [language for _, language in sorted(weighted, key=lambda pair: pair[0])]
