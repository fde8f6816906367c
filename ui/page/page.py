"""The page: its panels, and the routes of its document, files and events.

An event is `POST /page/PANEL/EVENT` with `{"page": id, "data": …}`, where each open page chooses its own id. The
response is one view, or a stream of views by server-sent events. The body of an upload is a file instead.
"""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from contextlib import aclosing

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
        document = Document(services, panels, has_passwords=way.passwords is not None)
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
        """Return the routed events, except uploads, as pairs of panel and event name."""
        return [names for names, (kind, _) in self._handlers.items() if kind is not Kind.UPLOAD]

    async def answer(self, request: Request) -> Response:
        """Respond to one event. Requests that our page never sends are refused.

        Other content types are refused as well, because HTML forms on other sites can send them.
        """
        place = request.path_params["panel"], request.path_params["event"]
        kind, handler = self._handlers.get(place, (Kind.VIEW, None))
        content_type = request.headers.get("content-type")
        if handler is None or (kind is Kind.UPLOAD and content_type != _FILE):
            return JSONResponse({"detail": "Not found."}, HTTP_404_NOT_FOUND)
        try:
            if kind is Kind.UPLOAD:
                return await self._upload(handler, request)
            sent = parse_fields(await _body(request) if content_type == _JSON else None)
            page, data = sent.get("page"), sent.get("data")
            if not isinstance(page, str) or not _PAGE.fullmatch(page):
                return JSONResponse({"detail": "This request was not understood."}, HTTP_400_BAD_REQUEST)
            return await self._respond(handler, request, page, data, kind)
        except ClientDisconnect:
            return Response()
        except NotedError as error:
            return _view(request, {"refused": error.sentence})

    async def _respond(self, handler: Handler, request: Request, page: str, data: object, kind: Kind) -> Response:
        """Respond with the handler's view, or a stream of its views, in the language of the page."""
        if kind is Kind.FREE:
            known = scope_of(request.scope) if request.scope.get(PERSON) else None
            return _view(request, handler(data, known, page))
        scope = self._scope(request, page, data)
        if kind is Kind.STREAM:
            self._work.count(scope)
            return _stream(request, handler(data, scope, page))
        return await self._work.do(
            lambda is_left: _view(request, handler(data, scope, page, is_left)),
            scope,
            request.is_disconnected,
            asks_model=kind is Kind.CALLING,
        )

    async def _upload(self, handler: Handler, request: Request) -> Response:
        """Respond with a stream of the handler's views, after the handler has received the file."""
        scope = scope_of(request.scope)
        self._work.count(scope)
        updates = handler(request.stream(), scope)
        return _stream(request, updates, await anext(updates))

    def _scope(self, request: Request, page: str, data: object) -> Scope:
        """Return the scope of a request. If the page shows the user's own model, no other model may answer."""
        scope = scope_of(request.scope)
        if parse_fields(data).get("own") is True:
            self._expect_own(scope, page)
        return scope


async def _body(request: Request) -> object:
    """Return the parsed JSON of a request; None if it is invalid."""
    try:
        return json.loads(await request.body(), parse_constant=int)  # refuses NaN and infinity
    except (ValueError, RecursionError):
        return None


def _view(request: Request, view: View) -> Response:
    return Response(_json(in_language(view, language_of(request.scope))), media_type=_JSON, headers=_HEADERS)


def _stream(request: Request, updates: AsyncGenerator[View, None], first: View | None = None) -> Response:
    language = language_of(request.scope)

    async def server_sent() -> AsyncIterator[bytes]:
        async with aclosing(updates):
            if first is not None:
                yield b"data: %b\n\n" % _json(in_language(first, language))
            async for update in updates:
                yield b"data: %b\n\n" % _json(in_language(update, language))

    return StreamingResponse(server_sent(), media_type="text/event-stream", headers=_HEADERS)


def _json(view: View) -> bytes:
    """Serialise a view to one line of JSON; lone surrogates become question marks."""
    return json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
