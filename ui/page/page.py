"""The page: its panels, and the routes of its document, files and events.

An event is `POST /page/PANEL/EVENT` with `{"page": id, "data": …}`, where each open page chooses its own id. The
response is one view, or a stream of views by server-sent events. The body of an upload is a file instead.
"""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.status import HTTP_400_BAD_REQUEST, HTTP_404_NOT_FOUND

from assistant.errors import NotedError
from assistant.types import Scope
from ui.page import lists, teach
from ui.page.conversation import ConversationHandlers
from ui.page.document import Document
from ui.page.handlers import Handler, Handlers, Kind, View, parse_fields
from ui.page.header import HeaderHandlers, OwnModels
from ui.server.identity import PERSON, language_of, scope_of
from ui.server.services import Services
from ui.server.sign_in import SignIn
from ui.words.texts import in_language

_PAGE = re.compile(r"[0-9A-Za-z-]{1,64}")
_JSON = "application/json"
_FILE = "application/jsonl"
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


class PageApp:
    """The page of a server: its panels, and the routes of its document, files and events."""

    def __init__(self, services: Services, way: SignIn, may_make_tokens: Callable[[Scope], bool]) -> None:
        own = OwnModels(services.models, services.assistant.allowance)
        imports = teach.ImportHandlers(services)
        panels: list[Handlers] = [
            HeaderHandlers(services, way, own),
            ConversationHandlers(services, own.parts),
            lists.ConversationListHandlers(services),
            lists.OfferHandlers(services),
            lists.MemoryHandlers(services, imports, own.forget),
            teach.SuggestionHandlers(services),
            teach.TeachHandlers(services, own.parts),
            imports,
            teach.SheetHandlers(services),
            teach.LearnHandlers(services, own.parts),
            teach.StudyHandlers(services, own.parts),
            teach.PracticeHandlers(services, own.parts),
            lists.SettingsHandlers(services),
            lists.TokenHandlers(services, may_make_tokens),
            lists.InsightsHandlers(services),
        ]
        document = Document(panels, services.card_parts, has_passwords=way.passwords is not None)
        self.routes = (
            Route("/", document.page),
            Route("/static/{version}/{name:path}", document.file),
            Route("/page/{panel}/{event}", self.answer, methods=["POST"]),
        )
        self._work = services.work
        self._expect_own = own.expect
        self._handlers = {
            (panel.element, name): (kind, handler) for panel in panels for name, kind, handler in panel.events()
        }

    @property
    def names(self) -> Collection[tuple[str, str]]:
        """Return the routed events without files, by panel and name."""
        return [names for names, (kind, _) in self._handlers.items() if kind is not Kind.UPLOAD]

    async def answer(self, request: Request) -> Response:
        """Respond to one event; refuse requests that our page never sends.

        That includes other content types, since forms of other sites could send them.
        """
        place = request.path_params["panel"], request.path_params["event"]
        kind, handler = self._handlers.get(place, (Kind.VIEW, None))
        content_type = request.headers.get("content-type")
        if handler is None or (kind is Kind.UPLOAD and content_type != _FILE):
            return JSONResponse({"detail": "Not found."}, HTTP_404_NOT_FOUND)
        if kind is Kind.UPLOAD:
            return await self._upload(handler, request)
        try:
            body = await request.body() if content_type == _JSON else b"null"
            sent = json.loads(body, parse_constant=int)  # refuses NaN and infinity
        except ClientDisconnect:
            return Response()
        except (ValueError, RecursionError):
            sent = None
        page = parse_fields(sent).get("page")
        if not isinstance(page, str) or not _PAGE.fullmatch(page):
            return JSONResponse({"detail": "This request was not understood."}, HTTP_400_BAD_REQUEST)
        data = parse_fields(sent).get("data")
        if kind is Kind.STREAM:
            return self._stream(handler, request, page, data)
        return await self._view(handler, request, page, data, kind)

    async def _view(self, handler: Handler, request: Request, page: str, data: object, kind: Kind) -> Response:
        """Respond with the handler's view in the language of the page, or with the reason of a refusal."""
        language = language_of(request.scope)
        try:
            if kind is Kind.FREE:
                scope = scope_of(request.scope) if request.scope.get(PERSON) else None
                view = in_language(handler(data, scope, page), language)
            else:
                scope = self._scope(request, page, data)
                view = await self._work.do(
                    lambda is_left: in_language(handler(data, scope, page, is_left), language),
                    scope,
                    request.is_disconnected,
                    asks_model=kind is Kind.CALLING,
                )
        except NotedError as error:
            view = in_language({"refused": error.sentence}, language)
        return Response(_json(view), media_type=_JSON, headers=_HEADERS)

    def _stream(self, handler: Handler, request: Request, page: str, data: object) -> Response:
        """Respond with a stream of the handler's views."""
        try:
            scope = self._scope(request, page, data)
            self._work.count(scope)
        except NotedError as error:
            return _streamed(request, {"refused": error.sentence})
        return _streamed(request, updates=handler(data, scope, page))

    async def _upload(self, handler: Handler, request: Request) -> Response:
        """Respond with a stream of the handler's views, once it has received the file."""
        try:
            scope = scope_of(request.scope)
            self._work.count(scope)
            updates = handler(request.stream(), scope)
            first = await anext(updates)
        except ClientDisconnect:
            return Response()
        except NotedError as error:
            return _streamed(request, {"refused": error.sentence})
        return _streamed(request, first, updates)

    def _scope(self, request: Request, page: str, data: object) -> Scope:
        """Return the scope of a request, whose page may expect the user's own model."""
        scope = scope_of(request.scope)
        if parse_fields(data).get("own") is True:
            self._expect_own(scope, page)
        return scope


def _streamed(
    request: Request, first: View | None = None, updates: AsyncGenerator[View, None] | None = None
) -> Response:
    language = language_of(request.scope)

    async def server_sent() -> AsyncIterator[bytes]:
        try:
            if first is not None:
                yield b"data: %b\n\n" % _json(in_language(first, language))
            if updates is not None:
                async for update in updates:
                    yield b"data: %b\n\n" % _json(in_language(update, language))
        finally:
            if updates is not None:
                await updates.aclose()

    return StreamingResponse(server_sent(), media_type="text/event-stream", headers=_HEADERS)


def _json(view: View) -> bytes:
    """Serialise a view to one line of JSON; lone surrogates become question marks."""
    return json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
