"""Where every event of the page comes in: it is counted, waits for its turn, and ends with its user. No logic."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from assistant.errors import NoIdentity, NotedError
from assistant.sentences import Sentence
from assistant.types import Scope
from ui.page.component import PanelComponent
from ui.page.conversation.conversation import ConversationHandlers, refusal
from ui.page.header.header import HeaderHandlers
from ui.page.header.own_models import OwnModels
from ui.page.panel import CallingHandler, Handler, PageHandler, Panel, View, fields_of
from ui.server.bounds.work import Work
from ui.server.identity import scope_of
from ui.server.language import language_of
from ui.words.texts import in_language

# Of all that happens, so that none waits for another. How many answers are written at once, `Runs` says in words.
_AT_ONCE = 1_024
# Which conversation the address names, marked as such; else the one that this browser had open last.
_ADDRESSED = """(stored) => {
    const asked = new URLSearchParams(window.location.search).get("c");
    return [asked ? `?${asked}` : stored];
}"""
_LOST = "() => { window.dispatchEvent(new CustomEvent('noted:lost')); }"

Answer = Callable[..., Any]
"""A function that Gradio calls: with the event, where it has one, and the request."""


@dataclass(frozen=True, slots=True)
class PageEvents:
    """Lets events be answered. Each but *Stop* and the like goes through `Work`, whose handler works in a thread."""

    work: Work
    own: OwnModels

    def show(self, panel: Panel, comes_into_view: Callable[..., Any] | None = None) -> PanelComponent:
        """Show a panel, whose handlers return what it then shows."""
        component = PanelComponent(panel)
        answers = {handler.__name__: self._showing(_of_any_page(handler)) for handler in panel.events}
        answers |= {handler.__name__: self._showing(_never_left(handler)) for handler in panel.page_events}
        answers |= {handler.__name__: self._showing(handler, asks_model=True) for handler in panel.calling}
        for name, answer in answers.items():
            _listen(getattr(component, name), answer, None, [component])
        if comes_into_view:
            _listen(comes_into_view, next(iter(answers.values())), None, [component])
        return component

    def show_conversation(
        self, chat: ConversationHandlers, panel: Panel, page: gr.Blocks, stored: gr.BrowserState
    ) -> None:
        conversation = PanelComponent(panel)
        _listen(page.load, self._beginning(chat), [stored], [conversation, stored], js=_ADDRESSED)
        for opening in (chat.fresh, chat.open):
            event = getattr(conversation, opening.__name__)
            opened = _listen(event, self._opening(opening), None, [conversation, stored])
            opened.failure(None, js=_LOST, api_visibility="private")
        for answering in (chat.ask, chat.edit, chat.clarify, chat.retry, chat.react, chat.act, chat.follow):
            event = getattr(conversation, answering.__name__)
            run = _listen(event, self._answering(answering), None, [conversation], queue=True)
            run.failure(None, js=_LOST, api_visibility="private")
        for changing in (chat.note, chat.undo, chat.offer, chat.reach, chat.place, chat.refresh):
            _listen(getattr(conversation, changing.__name__), self._changing(changing), None, [conversation])
        for ending in (chat.stop, chat.leave):
            _listen(getattr(conversation, ending.__name__), _ending(ending), None, None)
        _listen(conversation.read_on, _nothing, None, None, queue=True)

    def _showing(self, handler: CallingHandler, *, asks_model: bool = False) -> Answer:
        async def showing(event: gr.EventData, request: gr.Request) -> View:
            shown = await self._done(
                partial(handler, event._data), request, lambda why: {"refused": why}, event._data, asks_model=asks_model
            )
            at = fields_of(event._data).get("at")  # what a page has already would not be shown again
            return shown | {"at": at if isinstance(at, int) else 0}

        return showing

    def _changing(self, handler: Handler) -> Answer:
        async def changing(event: gr.EventData, request: gr.Request) -> View:
            return await self._done(partial(_of_any_page(handler), event._data), request, partial(refusal, event._data))

        return changing

    def _beginning(self, chat: ConversationHandlers) -> Answer:
        """What is there when the page is loaded: what its address names, or what was open last."""

        async def beginning(asked: Any, request: gr.Request) -> tuple[View, str]:
            if isinstance(asked, str) and asked.startswith("?"):
                return await self._opened(chat.open, {"conversation": asked[1:]}, request)
            return await self._opened(chat.go_on, asked, request)

        return beginning

    def _opening(self, handler: Handler) -> Answer:
        async def opening(event: gr.EventData, request: gr.Request) -> tuple[View, str]:
            return await self._opened(handler, event._data, request)

        return opening

    async def _opened(self, handler: Handler, data: object, request: gr.Request) -> tuple[View, str]:
        """A conversation, and its id, which the browser keeps."""
        opened = await self._done(partial(_of_any_page(handler), data), request, partial(refusal, None))
        return opened, opened["conversation"]

    async def _done(
        self,
        act: Callable[..., View],
        request: gr.Request,
        refused: Callable[[Sentence], View],
        data: object = None,
        *,
        asks_model: bool = False,
    ) -> View:
        """What comes of it, in the language of the page; where somebody is nobody, or nothing was done, why."""
        language, page = language_of(request), request.session_hash or ""
        try:
            scope = scope_of(request)
            self._expect_own(data, scope, page)
            return await self.work.do(
                lambda is_left: in_language(act(scope, page, is_left), language),
                scope,
                request.is_disconnected,
                asks_model=asks_model,
            )
        except NotedError as error:
            return in_language(refused(error.sentence), language)

    def _answering(self, handler: Callable[[object, Scope, str], AsyncGenerator[View, None]]) -> Answer:
        async def answering(event: gr.EventData, request: gr.Request) -> AsyncIterator[str]:
            language, page = language_of(request), request.session_hash or ""
            try:
                scope = scope_of(request)
                self.work.count(scope)
                self._expect_own(event._data, scope, page)
            except NotedError as error:
                yield _text(refusal(event._data, error.sentence), language)
                return
            async with aclosing(handler(event._data, scope, page)) as updates:
                async for update in updates:
                    yield _text(update, language)

        return answering

    def _expect_own(self, data: object, scope: Scope, page: str) -> None:
        """A page that shows a model of its user's own says so: then no other answers, whatever became of that one."""
        if fields_of(data).get("own") is True:
            self.own.expect(scope, page)


def note(head: HeaderHandlers, load: Callable[..., Any], header: PanelComponent) -> None:
    """Show the head of the page when that is loaded, also to whom nobody knows."""

    def noting(request: gr.Request) -> dict[str, Any]:
        try:
            scope = scope_of(request)
        except NotedError:
            scope = None
        return in_language(head.look(scope, request.session_hash or ""), language_of(request))

    _listen(load, noting, None, [header])


def _listen(
    event: Callable[..., Any],
    handler: Callable[..., Any],
    inputs: Sequence[Any] | None,
    outputs: Sequence[Any] | None,
    *,
    queue: bool = False,
    js: str | None = None,
) -> Any:
    """Let a handler answer an event. Events are private to the page, and show no progress of Gradio's own."""
    return event(
        handler,
        inputs,
        outputs,
        queue=queue,
        js=js,
        trigger_mode="multiple",
        concurrency_limit=_AT_ONCE,
        concurrency_id="answers" if queue else None,
        postprocess=False,  # all that is shown is plain data
        show_progress="hidden",
        api_visibility="private",
    )


def _text(update: View, language: str) -> str:
    """An update as text: Gradio walks through all values in data, several times for each word of an answer."""
    return json.dumps(in_language(update, language), ensure_ascii=False, separators=(",", ":"))


def _ending(handler: Callable[[object, Scope, str], None]) -> Answer:
    def ending(event: gr.EventData, request: gr.Request) -> None:
        with suppress(NoIdentity):  # nobody has nothing to stop
            handler(event._data, scope_of(request), request.session_hash or "")

    return ending


def _nothing() -> None:
    """It is enough that the page asked."""


def _of_any_page(handler: Handler) -> CallingHandler:
    return lambda data, scope, _page, _is_left: handler(data, scope)


def _never_left(handler: PageHandler) -> CallingHandler:
    return lambda data, scope, page, _is_left: handler(data, scope, page)
