"""Route events of the page to handlers, with rate limits, admission control and cancellation; no logic.

An event is `POST /page/PANEL/EVENT` with `{"page": id, "data": …}`, where each open page chooses its own id. The
response is one view, or a stream of views by server-sent events. The body of an upload is a file instead.
"""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection
from contextlib import aclosing, suppress
from functools import partial

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.status import HTTP_400_BAD_REQUEST, HTTP_404_NOT_FOUND

from assistant.errors import NotedError
from assistant.types import Scope
from ui.page.header.header import HeaderHandlers
from ui.page.header.own_models import OwnModels
from ui.page.panel import CallingHandler, Ending, Handler, PageHandler, Panel, Streaming, Uploading, View, parse_fields
from ui.server.bounds.work import WorkPool
from ui.server.identity import scope_of
from ui.server.language import language_of
from ui.words.texts import in_language

_PAGE = re.compile(r"[0-9A-Za-z-]{1,64}")
_JSON = "application/json"
_FILE = "application/jsonl"
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}

Answer = Callable[[Request, str, object], Awaitable[Response]]
"""Respond to an event with the id of its page and its unvalidated data."""


class PageEvents:
    """Router of events to the handlers of the panels.

    Args:
        work: admission control and threads.
        own: models that users connected to their pages.
    """

    def __init__(self, work: WorkPool, own: OwnModels) -> None:
        self._work = work
        self._own = own
        self._answers: dict[tuple[str, str], Answer] = {}
        self._uploads: dict[tuple[str, str], Uploading] = {}

    @property
    def names(self) -> Collection[tuple[str, str]]:
        """Return the routed events without files, by panel and name."""
        return self._answers.keys()

    async def answer(self, request: Request) -> Response:
        """Respond to one event; refuse requests that our page never sends.

        That includes other content types, since forms of other sites could send them.
        """
        place = request.path_params["panel"], request.path_params["event"]
        content_type = request.headers.get("content-type")
        if place in self._uploads and content_type == _FILE:
            return await self._upload(self._uploads[place], request)
        answer = self._answers.get(place)
        if answer is None:
            return JSONResponse({"detail": "Not found."}, HTTP_404_NOT_FOUND)
        try:
            is_json = content_type == _JSON
            sent = json.loads(await request.body(), parse_constant=_no_number) if is_json else None
        except ClientDisconnect:
            return Response()
        except (ValueError, RecursionError):
            sent = None
        page = parse_fields(sent).get("page")
        if not isinstance(page, str) or not _PAGE.fullmatch(page):
            return JSONResponse({"detail": "This request was not understood."}, HTTP_400_BAD_REQUEST)
        return await answer(request, page, parse_fields(sent).get("data"))

    def add(self, panel: Panel) -> None:
        """Route the events of a panel to its handlers."""
        answers: list[tuple[Callable[..., object], Answer]] = [
            *((handler, partial(self._view, _of_any_page(handler))) for handler in panel.events),
            *((handler, partial(self._view, _never_left(handler))) for handler in panel.page_events),
            *((handler, partial(self._view, handler, asks_model=True)) for handler in panel.calling),
            *((handler, partial(self._stream, handler)) for handler in panel.streams),
            *((handler, partial(_end, handler)) for handler in panel.ends),
        ]
        self._answers |= {(panel.element, handler.__name__): answer for handler, answer in answers}
        self._uploads |= {(panel.element, handler.__name__): handler for handler in panel.uploads}

    def add_look(self, panel: Panel, head: HeaderHandlers) -> None:
        """Route the `look` event of the header, which needs no sign-in."""

        async def look(request: Request, page: str, _data: object) -> Response:
            try:
                scope = scope_of(request.scope)
            except NotedError:
                scope = None
            return _shown(in_language(head.look(scope, page), language_of(request.scope)))

        self._answers[panel.element, head.look.__name__] = look

    async def _view(
        self,
        handler: CallingHandler,
        request: Request,
        page: str,
        data: object,
        *,
        asks_model: bool = False,
    ) -> Response:
        """Respond with the handler's view in the language of the page, or with the reason of a refusal."""
        language = language_of(request.scope)
        try:
            scope = scope_of(request.scope)
            self._expect_own(data, scope, page)
            view = await self._work.do(
                lambda is_left: in_language(handler(data, scope, page, is_left), language),
                scope,
                request.is_disconnected,
                asks_model=asks_model,
            )
        except NotedError as error:
            view = in_language({"refused": error.sentence}, language)
        return _shown(view)

    async def _stream(self, handler: Streaming, request: Request, page: str, data: object) -> Response:
        """Respond with a stream of the handler's views."""
        try:
            scope = scope_of(request.scope)
            self._work.count(scope)
            self._expect_own(data, scope, page)
        except NotedError as error:
            updates = _only({"refused": error.sentence})
        else:
            updates = handler(data, scope, page)
        return _streamed(updates, request)

    async def _upload(self, handler: Uploading, request: Request) -> Response:
        """Respond with a stream of the handler's views, once it has received the file."""
        try:
            scope = scope_of(request.scope)
            self._work.count(scope)
            updates = handler(request.stream(), scope)
            first = await anext(updates)
        except ClientDisconnect:
            return Response()
        except NotedError as error:
            return _streamed(_only({"refused": error.sentence}), request)
        return _streamed(_chain(first, updates), request)

    def _expect_own(self, data: object, scope: Scope, page: str) -> None:
        """Let no other model answer in a page that shows the user's own, even if that is gone."""
        if parse_fields(data).get("own") is True:
            self._own.expect(scope, page)


async def _end(handler: Ending, request: Request, _page: str, data: object) -> Response:
    """Stop something at once, without admission control; ignore requests without a user."""
    with suppress(NotedError):
        handler(data, scope_of(request.scope))
    return _shown({})


def _shown(view: View) -> Response:
    return Response(_json(view), media_type=_JSON, headers=_HEADERS)


def _streamed(updates: AsyncGenerator[View, None], request: Request) -> Response:
    sent = _server_sent(updates, language_of(request.scope))
    return StreamingResponse(sent, media_type="text/event-stream", headers=_HEADERS)


async def _server_sent(updates: AsyncGenerator[View, None], language: str) -> AsyncIterator[bytes]:
    async with aclosing(updates):
        async for update in updates:
            yield b"data: %b\n\n" % _json(in_language(update, language))


def _json(view: View) -> bytes:
    """Serialise a view to one line of JSON; lone surrogates become question marks."""
    return json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _no_number(_name: str) -> None:
    raise ValueError("NaN and infinity are not JSON")


async def _only(view: View) -> AsyncGenerator[View, None]:
    yield view


async def _chain(first: View, updates: AsyncGenerator[View, None]) -> AsyncGenerator[View, None]:
    async with aclosing(updates):
        yield first
        async for update in updates:
            yield update


def _of_any_page(handler: Handler) -> CallingHandler:
    return lambda data, scope, _page, _is_left: handler(data, scope)


def _never_left(handler: PageHandler) -> CallingHandler:
    return lambda data, scope, page, _is_left: handler(data, scope, page)
