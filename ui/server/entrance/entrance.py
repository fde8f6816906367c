"""The page for signing in with a name and a password: in every language, and of a few kilobytes.

Gradio has such a page, too, but not in Punjabi, and in the language of the browser, not in the one that was chosen.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse

from ui.identity import PERSON

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Send
    from starlette.types import Scope as Connection

_HERE = Path(__file__).parent
_SHEETS = ("page.css", "banner/style.css", "entrance/style.css", "touch.css")
_SCRIPTS = ("dom.js", "languages.js", "entrance/script.js")


class EntranceMiddleware:
    """Shows those who have not signed in this page instead of the application's.

    Args:
        app: what comes next.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        page = (_HERE / "page.html").read_text(encoding="utf-8")
        page = page.replace("/* sheets */", _files(_SHEETS)).replace("/* scripts */", _files(_SCRIPTS))
        self._page = HTMLResponse(page, headers={"cache-control": "no-store"})

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        opens = connection["type"] == "http" and connection["path"] == "/" and connection[PERSON] is None
        await (self._page if opens else self._app)(connection, receive, send)


def _files(names: tuple[str, ...]) -> str:
    return "\n".join((_HERE.parent / name).read_text(encoding="utf-8") for name in names)
