"""The page: its layout, and which handler answers which event. No logic."""

import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

import gradio as gr

from assistant.errors import NoIdentity, NotedError
from assistant.sentences import Sentence
from assistant.types import Decision, Question, Scope
from ui.page.component import PanelComponent
from ui.page.conversation.conversation import ConversationHandlers, refusal
from ui.page.conversation_list.conversation_list import ConversationListHandlers
from ui.page.header.header import HeaderHandlers
from ui.page.header.own_models import OwnModels
from ui.page.insights.insights import InsightsHandlers
from ui.page.learn.learn import LearnHandlers
from ui.page.lessons.waiting import DraftHandlers
from ui.page.memory.importing import ImportHandlers
from ui.page.memory.memory import MemoryHandlers
from ui.page.offers.offers import OfferHandlers
from ui.page.panel import CallingHandler, Handler, PageHandler, Panel, View, fields_of
from ui.page.practice.practice import PracticeHandlers
from ui.page.sheet.sheet import SheetHandlers
from ui.page.study.study import StudyHandlers
from ui.page.tokens.tokens import TokenHandlers
from ui.page.trial.trial import TrialHandlers
from ui.server.identity import scope_of
from ui.server.language import language_of
from ui.server.permissions import PerMinute
from ui.server.services import Cards, Services
from ui.server.sign_in import SignIn
from ui.server.status import EXAMPLES_BY_LANGUAGE
from ui.streaming.runs import Runs
from ui.words.texts import in_language, texts

# Of all that happens, so that none waits for another. How many answers are written at once, `Runs` says in words.
_AT_ONCE = 1_024
_SEARCHES_PER_MINUTE = 30
# No secret: it only keeps the id readable for the same browser after a restart. What it opens is decided by the scope.
_STORED_AS = "noted-conversation"
# Which conversation the address names, marked as such; else the one that this browser had open last.
_ADDRESSED = """(stored) => {
    const asked = new URLSearchParams(window.location.search).get("c");
    return [asked ? `?${asked}` : stored];
}"""
_LOST = "() => { window.dispatchEvent(new CustomEvent('noted:lost')); }"

NO_SIGN_IN = SignIn()


def build_page(
    services: Services, way: SignIn = NO_SIGN_IN, may_make_tokens: Callable[[Scope], bool] = lambda _scope: False
) -> gr.Blocks:
    """The page for these services, how people sign in to it, and who makes tokens on it; `ui.serve` shows it."""
    words = texts()
    assistant, sharing, keep_days = services.assistant, services.sharing, services.keep_turns_days
    limits, allowance = assistant.limits, assistant.allowance
    # Gradio serves OAuth where its button is on the page. Ours is a link at the head of the page, so this one is not
    # shown; made outside of a page, it has no events either.
    signs_in: list[Any] = [gr.LoginButton(icon=None, visible=False, render=False)] if way.enter else []
    own = OwnModels(services.own_models, services.connected)
    chat = ConversationHandlers(
        assistant, services.runs, sharing, own.parts, Cards(services.card_parts, services.wording)
    )
    imports = ImportHandlers(services.upkeep.take_in, allowance)
    memory = MemoryHandlers(
        assistant.memory, sharing, limits.clarification, services.export, allowance, assistant.undo, imports.stop_all,
        assistant.set_reach,
        partial(_akin, services), PerMinute(_SEARCHES_PER_MINUTE, 0),
    )  # fmt: skip
    page: gr.Blocks
    with gr.Blocks(title=words["page_title"], analytics_enabled=False, fill_width=True) as page:
        for button in signs_in:
            button.render()
        stored = gr.BrowserState("", storage_key=_STORED_AS, secret=_STORED_AS)
        head = HeaderHandlers(services, way, own)
        header = _show(head.panel())
        _listen(page.load, _noting(head), None, [header])
        with gr.Row(elem_id="talk"):
            _show(ConversationListHandlers(services.conversations, allowance).panel())
            _show_conversation(chat, chat.panel(EXAMPLES_BY_LANGUAGE), page, stored)
        with gr.Column(elem_id="memory-pane"):
            _show(OfferHandlers(sharing, limits.clarification).panel(), header.memory)
            _show(DraftHandlers(services.lessons).panel(), header.memory)
            _show(memory.panel(imports, keep_days), header.memory)
            _show(TrialHandlers(assistant.preview, limits.question, assistant.memory.resume).panel())
            _show(SheetHandlers(services.sheet, services.keeping.editing, allowance).panel(), header.memory)
            _show(LearnHandlers(services.reads, services.keeping, own.parts, allowance).panel(), runs=services.runs)
            _show(StudyHandlers(services.study, own.parts).panel(), runs=services.runs)
            _show(PracticeHandlers(services.practice, own.parts, limits).panel(), runs=services.runs)
            _show(TokenHandlers(services.tokens, may_make_tokens, allowance).panel(), header.memory)
        with gr.Column(elem_id="insights-pane"):
            numbers = InsightsHandlers(services.insights, assistant.memory, sharing, keep_days)
            _show(numbers.panel(), header.insights)
    return page


def _akin(services: Services, text: str, scope: Scope) -> Sequence[Decision]:
    """What a question with the words of a search would find."""
    return services.parts.choose(services.parts.recall(Question(text), scope), scope)


def _show(panel: Panel, comes_into_view: Callable[..., Any] | None = None, runs: Runs | None = None) -> PanelComponent:
    """A panel whose handlers return what it then shows."""
    component = PanelComponent(panel)
    answers = {handler.__name__: _showing(_of_any_page(handler)) for handler in panel.events}
    answers |= {handler.__name__: _showing(handler) for handler in panel.page_events}
    answers |= {handler.__name__: _calling(handler, runs) for handler in panel.calling if runs}
    for name, answer in answers.items():
        _listen(getattr(component, name), answer, None, [component])
    if comes_into_view:
        opening = _showing(panel.opening) if panel.opening else next(iter(answers.values()))
        _listen(comes_into_view, opening, None, [component])
    return component


def _show_conversation(chat: ConversationHandlers, panel: Panel, page: gr.Blocks, stored: gr.BrowserState) -> None:
    conversation = PanelComponent(panel)
    _listen(page.load, _beginning(chat), [stored], [conversation, stored], js=_ADDRESSED)
    for opening in (chat.fresh, chat.open):
        opened = _listen(getattr(conversation, opening.__name__), _opening(opening), None, [conversation, stored])
        opened.failure(None, js=_LOST, api_visibility="private")
    for answering in (chat.ask, chat.edit, chat.clarify, chat.retry, chat.react, chat.act, chat.follow):
        event = getattr(conversation, answering.__name__)
        run = _listen(event, _answering(answering), None, [conversation], queue=True)
        run.failure(None, js=_LOST, api_visibility="private")
    for changing in (chat.note, chat.undo, chat.offer, chat.reach, chat.place, chat.refresh):
        _listen(getattr(conversation, changing.__name__), _changing(changing), None, [conversation])
    for ending in (chat.stop, chat.leave):
        _listen(getattr(conversation, ending.__name__), _ending(ending), None, None)
    _listen(conversation.read_on, _nothing, None, None, queue=True)


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


def _noting(head: HeaderHandlers) -> Callable[..., Any]:
    def noting(request: gr.Request) -> dict[str, Any]:
        try:
            scope = scope_of(request)
        except NotedError:
            scope = None
        return in_language(head.look(scope, request.session_hash or ""), language_of(request))

    return noting


def _shown(request: gr.Request, act: Callable[[Scope], View], refused: Callable[[Sentence], View]) -> View:
    """What comes of it, in the language of the page; where somebody is nobody, or nothing was done, why."""
    try:
        shown = act(scope_of(request))
    except NotedError as error:
        shown = refused(error.sentence)
    return in_language(shown, language_of(request))


def _beginning(chat: ConversationHandlers) -> Callable[..., tuple[View, str]]:
    """What is there when the page is loaded: what its address names, or what was open last."""

    def beginning(asked: Any, request: gr.Request) -> tuple[View, str]:
        if isinstance(asked, str) and asked.startswith("?"):
            return _opened(partial(chat.open, {"conversation": asked[1:]}), request)
        return _opened(partial(chat.go_on, asked), request)

    return beginning


def _opening(handler: Handler) -> Callable[..., tuple[View, str]]:
    def opening(event: gr.EventData, request: gr.Request) -> tuple[View, str]:
        return _opened(partial(handler, event._data), request)

    return opening


def _opened(act: Callable[[Scope], View], request: gr.Request) -> tuple[View, str]:
    """A conversation, and its id, which the browser keeps."""
    opened = _shown(request, act, partial(refusal, None))
    return opened, opened["conversation"]


def _answering(handler: Callable[[object, Scope, str], AsyncGenerator[View, None]]) -> Callable[..., Any]:
    async def answering(event: gr.EventData, request: gr.Request) -> AsyncIterator[str]:
        language = language_of(request)
        try:
            scope = scope_of(request)
        except NotedError as error:
            yield _text(refusal(event._data, error.sentence), language)
            return
        async with aclosing(handler(event._data, scope, request.session_hash or "")) as updates:
            async for update in updates:
                yield _text(update, language)

    return answering


def _text(update: View, language: str) -> str:
    """An update as text: Gradio walks through all values in data, several times for each word of an answer."""
    return json.dumps(in_language(update, language), ensure_ascii=False, separators=(",", ":"))


def _changing(handler: Handler) -> Callable[..., Any]:
    def changing(event: gr.EventData, request: gr.Request) -> View:
        return _shown(request, partial(handler, event._data), partial(refusal, event._data))

    return changing


def _ending(handler: Callable[[object, Scope, str], None]) -> Callable[..., Any]:
    def ending(event: gr.EventData, request: gr.Request) -> None:
        with suppress(NoIdentity):  # nobody has nothing to stop
            handler(event._data, scope_of(request), request.session_hash or "")

    return ending


def _nothing() -> None:
    """It is enough that the page asked."""


def _calling(handler: CallingHandler, runs: Runs) -> Callable[..., Any]:
    async def calling(event: gr.EventData, request: gr.Request) -> View:
        page = request.session_hash or ""

        async def shown() -> View:
            scope = scope_of(request)
            with runs.begin(scope, str(uuid.uuid4())) as run:
                job = partial(handler, event._data, scope, page, lambda: run.stopped)
                return await run.work(job, request.is_disconnected)

        try:
            view = await shown()
        except NotedError as error:
            view = {"refused": error.sentence}
        return _at(event, in_language(view, language_of(request)))

    return calling


def _of_any_page(handler: Handler) -> PageHandler:
    return lambda data, scope, _page: handler(data, scope)


def _showing(handler: PageHandler) -> Callable[..., Any]:
    def showing(event: gr.EventData, request: gr.Request) -> View:
        page = request.session_hash or ""
        shown = _shown(request, lambda scope: handler(event._data, scope, page), lambda why: {"refused": why})
        return _at(event, shown)

    return showing


def _at(event: gr.EventData, shown: View) -> View:
    """With the time at which it was asked for: what a page has already would not be shown again."""
    at = fields_of(event._data).get("at")
    return shown | {"at": at if isinstance(at, int) else 0}
