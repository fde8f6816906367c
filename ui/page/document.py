"""The page as a document: HTML in each language and static files, compressed once.

File addresses contain a digest of all files, so that browsers may cache them forever. All addresses are relative, so
the page works below any path.
"""

import base64
import gzip
import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.status import HTTP_404_NOT_FOUND

from ui.page.handlers import Handlers
from ui.server.identity import LANGUAGE_COOKIE, PERSON, ZONE_COOKIE, language_of
from ui.server.services import CardPart, Services
from ui.words.texts import languages, texts

_FOLDER = Path(__file__).parents[1] / "static"
_PAGE, _SIGN_IN = "page.html", "entrance/entrance.html"
_SHEETS = (
    "shared/page.css",
    "shared/frame.css",
    "shared/panels.css",
    "header/header.css",
    "conversation/conversation.css",
    "conversation/card.css",
)


class Document:
    """HTML and static files of the page; with passwords, only the sign-in page until the user signs in."""

    def __init__(self, services: Services, panels: Sequence[Handlers], *, has_passwords: bool) -> None:
        self._has_passwords = has_passwords
        files = _files(services.card_parts)
        digest = hashlib.sha256(b"\0".join(name.encode() + content for name, content in sorted(files.items())))
        self._version = digest.hexdigest()[:12]
        self._files = {name: (content, gzip.compress(content, mtime=0)) for name, content in files.items()}
        told = {
            "panels": {panel.element: dict(panel.constants) for panel in panels},
            "card_parts": [part.name for part in services.card_parts],
            "keep_days": services.keep_turns_days,
            "limits": asdict(services.assistant.limits),
        }
        for name in (_PAGE, _SIGN_IN):
            for language in languages():
                content = self._html(name, language, told)
                self._files[f"{language}/{name}"] = content, gzip.compress(content, mtime=0)

    def page(self, request: Request) -> Response:
        """Return the page or the sign-in page in the language of the request; redirect `view=api` to `/llms.txt`."""
        if request.query_params.get("view") == "api":  # Gradio's link to API documentation
            return RedirectResponse("llms.txt")
        enters = self._has_passwords and request.scope.get(PERSON) is None
        name = f"{language_of(request.scope)}/{_SIGN_IN if enters else _PAGE}"
        response = self._response(name, request, "no-store" if enters else "no-cache")
        response.headers["vary"] = "Cookie, Accept-Language, Accept-Encoding"
        return response

    def file(self, request: Request) -> Response:
        """Return a static file, by its path."""
        name = request.path_params["name"]
        if name not in self._files or name.endswith(".html") or request.path_params["version"] != self._version:
            return Response("Not found.", HTTP_404_NOT_FOUND)
        return self._response(name, request, "public, max-age=31536000, immutable")

    def _response(self, name: str, request: Request, caching: str) -> Response:
        content, compressed = self._files[name]
        # Windows may know another type of scripts.
        kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
        headers = {"cache-control": caching}
        if "gzip" in request.headers.get("accept-encoding", ""):
            content, headers["content-encoding"] = compressed, "gzip"
        return Response(content, media_type=kind, headers=headers)

    def _html(self, name: str, language: str, told: Mapping[str, Any]) -> bytes:
        """Fill the template with language and data, escaped so that browsers parse no markup or script in it."""
        data = {
            **told,
            "language": language,
            "languages": {code: texts(code)["language_name"] for code in languages()},
            "cookie": LANGUAGE_COOKIE,
            "zone_cookie": ZONE_COOKIE,
            "words": dict(texts(language)),
        }
        filling = {
            "language": language,
            "title": texts(language)["page_title"],
            "unreached": texts(language)["unknown_proxy"],
            "version": self._version,
            "icon": base64.b64encode((_FOLDER / "icon.svg").read_bytes()).decode(),
            "data": json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
        }
        page = (_FOLDER / name).read_text(encoding="utf-8")
        return re.sub(r"\{\{(\w+)\}\}", lambda found: filling[found[1]], page).encode()


def _files(card_parts: Sequence[CardPart]) -> dict[str, bytes]:
    served = (path for path in _FOLDER.rglob("*") if path.suffix in {".js", ".css"})
    files = {path.relative_to(_FOLDER).as_posix(): path.read_bytes() for path in served}
    styles = [part.folder / f"{part.name}.css" for part in card_parts]
    sheets = [*map(_FOLDER.joinpath, _SHEETS), *filter(Path.exists, styles)]
    scripts = [part.folder / f"{part.name}.js" for part in card_parts]
    files |= {f"parts/{script.name}": script.read_bytes() for script in scripts if script.exists()}
    files["style.css"] = b"\n".join(sheet.read_bytes() for sheet in sheets)
    return files
