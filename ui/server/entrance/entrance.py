"""The page for signing in with a name and a password: in every language, and of a few kilobytes.

Gradio has such a page, too, but not in Punjabi, and in the language of the browser, not in the one that was chosen.
"""

from pathlib import Path

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from ui.server.identity import PERSON

_HERE = Path(__file__).parent
_PAGE = _HERE.parents[1] / "page"
_SHEETS = ("shared/page.css", "header/style.css", "style.css")
_SCRIPTS = ("shared/dom.js", "shared/languages.js", "script.js")


class EntranceMiddleware:
    """Shows those who have not signed in this page instead of the application's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        page = (_HERE / "page.html").read_text(encoding="utf-8")
        page = page.replace("/* sheets */", _files(_SHEETS)).replace("/* scripts */", _files(_SCRIPTS))
        self._page = HTMLResponse(page, headers={"cache-control": "no-store"})

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        opens = connection["type"] == "http" and connection["path"] == "/" and connection[PERSON] is None
        await (self._page if opens else self._app)(connection, receive, send)


def _files(names: tuple[str, ...]) -> str:
    return "\n".join(((_PAGE if "/" in name else _HERE) / name).read_text(encoding="utf-8") for name in names)
