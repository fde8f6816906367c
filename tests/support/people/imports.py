"""Import a file as a page does: send it piece by piece, then poll the progress."""

import base64
import time
from typing import Any

from assistant.types import Scope
from ui.page.teach.importing import PIECE, ImportHandlers

FIRST = {"place": 0, "last": False, "bytes": "AAAA"}


def split_file(content: bytes, size: int = PIECE) -> list[dict[str, Any]]:
    parts = [content[start : start + size] for start in range(0, max(len(content), 1), size)]
    encoded = [base64.b64encode(part).decode() for part in parts]
    return [{"place": place, "last": place == len(parts) - 1, "bytes": part} for place, part in enumerate(encoded)]


def send(handlers: ImportHandlers, content: bytes, scope: Scope, page: str = "page", size: int = PIECE) -> Any:
    """Send a file in pieces; return the response to the last one."""
    return [handlers.piece(piece, scope, page) for piece in split_file(content, size)][-1]


def wait_for_import(handlers: ImportHandlers, scope: Scope, page: str = "page") -> Any:
    """Wait for the import to end; return the last response."""
    while "taking" in (told := handlers.taking({}, scope, page)):
        time.sleep(0.01)
    return told


def import_file(handlers: ImportHandlers, content: bytes, scope: Scope, size: int = PIECE) -> Any:
    told = send(handlers, content, scope, size=size)
    return wait_for_import(handlers, scope) if "taking" in told else told
