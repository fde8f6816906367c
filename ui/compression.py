"""The page itself, compressed: Gradio compresses the files beside it only, and it is the largest of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware.gzip import GZipMiddleware

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_SHORTEST = 1_000  # bytes that are worth it


class CompressedPage:
    """Compresses what is at `/`, and nothing that is written piece by piece."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=_SHORTEST, compresslevel=6)

    async def __call__(self, connection: Scope, receive: Receive, send: Send) -> None:
        is_page = connection["type"] == "http" and connection["path"] == "/"
        await (self._compressing if is_page else self._app)(connection, receive, send)
