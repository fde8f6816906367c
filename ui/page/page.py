"""The page: its layout, and which handler answers which event. No logic."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

import gradio as gr

from assistant.errors import NoIdentity, NotedError
from assistant.key_writing import LONGEST_KEY
from ui.component import FolderComponent
from ui.conversation import Conversation
from ui.conversation_list import ConversationList
from ui.conversation_list_handlers import ConversationListHandlers
from ui.handlers import ConversationHandlers, Update, refusal
from ui.identity import scope_of
from ui.import_handlers import ImportHandlers
from ui.insights_handlers import InsightsHandlers
from ui.insights_page import InsightsView
from ui.language import language_of
from ui.memory_handlers import Listing, MemoryHandlers
from ui.memory_page import MemoryList
from ui.offers_page import OfferList
from ui.own_model import OwnModelPanel
from ui.own_models import OwnModels, Panel
from ui.services import Services
from ui.sharing_handlers import OfferHandlers
from ui.sign_in import SignIn
from ui.speaking import in_language, sentence
from ui.texts import texts
from ui.token_handlers import TokenHandlers, nobody
from ui.tokens_page import TokensPanel
from ui.trial_handlers import TrialHandlers
from ui.trial_page import TrialField

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assistant.types import Scope

__all__ = ["Services", "build_page"]

# Of all that happens, so that none waits for another. How many answers are written at once, `Runs` says in words.
_AT_ONCE = 1_024
# No secret: it only keeps the id readable for the same browser after a restart. What it opens is decided by the scope.
_STORED_AS = "noted-conversation"

MEMORY_EVENTS = (
    "search", "edit", "rekey", "reuse", "widen", "take_back", "offer", "withdraw", "forget", "forget_all", "export",
)  # fmt: skip

WITHOUT = SignIn()
"""Nobody can sign in."""
_LOST = "() => { window.dispatchEvent(new CustomEvent('noted:lost')); }"


def build_page(
    services: Services, way: SignIn = WITHOUT, may_make_tokens: Callable[[Scope], bool] = nobody
) -> gr.Blocks:
    """The page for these services, how people sign in to it, and who makes tokens on it; `ui.serve` shows it."""
    words = texts()
    longest = services.limits.clarification
    parts = way.parts()
    own = OwnModels(services.own_models)
    chat = ConversationHandlers(services.assistant, services.runs, services.sharing, own.model)
    talks = ConversationListHandlers(services.conversations, services.allowance)
    memory = MemoryHandlers(
        services.assistant.memory,
        services.sharing,
        longest,
        services.export,
        services.allowance,
        services.assistant.undo,
    )
    imports = ImportHandlers(services.upkeep.take_in, services.allowance)
    numbers = InsightsHandlers(services.insights, services.assistant.memory, services.sharing)
    trial = TrialHandlers(services.assistant.consider)
    sharing = OfferHandlers(services.sharing, longest)
    tokens = TokenHandlers(services.tokens, may_make_tokens, services.allowance)
    page: gr.Blocks
    with gr.Blocks(title=words["page_title"], analytics_enabled=False, fill_width=True) as page:
        for part in parts:
            part.render()
        stored = gr.BrowserState("", storage_key=_STORED_AS, secret=_STORED_AS)
        banner = FolderComponent("banner", ("dom.js", "languages.js", "tabs.js", "script.js"), elem_id="banner")
        own_model = OwnModelPanel()
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap"):
            with gr.Tab(words["tab_chat"], id="chat"), gr.Row(elem_id="talk"):
                listed = ConversationList()
                conversation = Conversation(services.examples, services.limits)
            with gr.Tab(words["tab_memory"], id="memory") as memory_tab:
                offers = OfferList(longest)
                tried = TrialField(services.limits.question)
                entries = MemoryList(longest, LONGEST_KEY, services.keep_turns_days)
                programs = TokensPanel()
            with gr.Tab(words["tab_insights"], id="insights") as insights_tab:
                insights = InsightsView(services.keep_turns_days)

        _listen(page.load, _noting(services, way), None, [banner])
        _listen(page.load, _panel(own.look), None, [own_model])
        _listen(page.load, _opening(chat), [stored], [conversation, stored])
        for name in ("use", "stop"):
            _listen(getattr(own_model, name), _panel(getattr(own, name)), None, [own_model])
        for event in (conversation.fresh, conversation.open):
            opened = _listen(event, _reopening(chat), None, [conversation, stored])
            opened.failure(None, js=_LOST, api_visibility="private")
        for name in ("look", "rename", "erase"):
            _listen(getattr(listed, name), _listing(getattr(talks, name)), None, [listed])
        for name in ("ask", "edit", "clarify", "retry", "react"):
            run = _listen(
                getattr(conversation, name), _answering(getattr(chat, name)), None, [conversation], queue=True
            )
            run.failure(None, js=_LOST, api_visibility="private")
        for name in ("undo", "offer", "refresh"):
            _listen(getattr(conversation, name), _changing(getattr(chat, name)), None, [conversation])
        _listen(conversation.stop, _stopping(chat), None, None)
        _listen(memory_tab.select, _listing(memory.search), None, [entries])
        _listen(memory_tab.select, _listing(sharing.look), None, [offers])
        _listen(memory_tab.select, _listing(tokens.look), None, [programs])
        for event in (insights_tab.select, insights.look):
            _listen(event, _listing(numbers.look), None, [insights])
        for name in ("look", "accept", "decline"):
            _listen(getattr(offers, name), _listing(getattr(sharing, name)), None, [offers])
        for name in ("look", "make", "revoke"):
            _listen(getattr(programs, name), _listing(getattr(tokens, name)), None, [programs])
        for name in MEMORY_EVENTS:
            _listen(getattr(entries, name), _listing(getattr(memory, name)), None, [entries])
        _listen(entries.piece, _taking_in(imports), None, [entries])
        _listen(tried.consider, _listing(trial.consider), None, [tried])
    return page


def _listen(
    event: Callable[..., Any],
    handler: Callable[..., Any],
    inputs: Sequence[Any] | None,
    outputs: Sequence[Any] | None,
    *,
    queue: bool = False,
) -> Any:
    """Let a handler answer an event. Events are private to the page, and show no progress of Gradio's own."""
    return event(
        handler,
        inputs,
        outputs,
        queue=queue,
        trigger_mode="multiple",
        concurrency_limit=_AT_ONCE,
        concurrency_id="answers" if queue else None,
        postprocess=False,  # all that is shown is plain data
        show_progress="hidden",
        api_visibility="private",
    )


def _noting(services: Services, way: SignIn) -> Callable[..., Any]:
    def noting(request: gr.Request) -> dict[str, Any]:
        try:
            person = scope_of(request).person
        except NotedError:
            person = None
        language = language_of(request)
        return {
            "model": sentence(services.model_name, language),
            "model_note": sentence(services.model_note, language),
            "memory": sentence(services.memory_note, language),
            "is_temporary": services.memory_is_temporary,
            "notices": services.notices(person),
            "embedder": sentence(services.embedder_note(), language),
            "account": way.account(person),
        }

    return noting


def _stored(update: Update) -> tuple[Update, str]:
    return update, update["conversation"]


def _opening(chat: ConversationHandlers) -> Callable[..., tuple[Update, str]]:
    def opening(conversation: Any, request: gr.Request) -> tuple[Update, str]:
        try:
            opened, stored = _stored(chat.open(conversation, scope_of(request)))
        except NotedError as error:
            opened, stored = refusal(None, str(error)), ""
        return in_language(opened, language_of(request)), stored

    return opening


def _reopening(chat: ConversationHandlers) -> Callable[..., Any]:
    opening = _opening(chat)

    def reopening(event: gr.EventData, request: gr.Request) -> tuple[Update, str]:
        return opening(event._data.get("conversation") if isinstance(event._data, dict) else None, request)

    return reopening


def _answering(handler: Callable[[object, Scope, str], AsyncGenerator[Update, None]]) -> Callable[..., Any]:
    async def answering(event: gr.EventData, request: gr.Request) -> AsyncIterator[str]:
        language = language_of(request)
        try:
            scope = scope_of(request)
        except NotedError as error:
            yield _text(refusal(event._data, str(error)), language)
            return
        async with aclosing(handler(event._data, scope, request.session_hash or "")) as updates:
            async for update in updates:
                yield _text(update, language)

    return answering


def _text(update: Update, language: str) -> str:
    """An update as text: Gradio walks through all values in data, several times for each word of an answer."""
    return json.dumps(in_language(update, language), ensure_ascii=False, separators=(",", ":"))


def _changing(handler: Callable[[object, Scope], Update]) -> Callable[..., Any]:
    def changing(event: gr.EventData, request: gr.Request) -> Update:
        try:
            update = handler(event._data, scope_of(request))
        except NotedError as error:
            update = refusal(event._data, str(error))
        return in_language(update, language_of(request))

    return changing


def _stopping(chat: ConversationHandlers) -> Callable[..., Any]:
    def stopping(event: gr.EventData, request: gr.Request) -> None:
        with suppress(NoIdentity):  # nobody has nothing to stop
            chat.stop(event._data, scope_of(request), request.session_hash or "")

    return stopping


def _panel(handler: Callable[[object, Scope, str], Panel]) -> Callable[..., Any]:
    def shown(request: gr.Request, event: gr.EventData) -> Panel:
        try:
            return handler(event._data, scope_of(request), request.session_hash or "")
        except NotedError as error:
            return {"refused": sentence(str(error), language_of(request))}

    return shown


def _listing(handler: Callable[[object, Scope], Listing]) -> Callable[..., Any]:
    def listing(event: gr.EventData, request: gr.Request) -> Listing:
        try:
            shown = handler(event._data, scope_of(request))
        except NotedError as error:
            shown = {"refused": str(error)}
        return in_language(_answer_to(event, shown), language_of(request))

    return listing


def _taking_in(imports: ImportHandlers) -> Callable[..., Any]:
    def taking_in(event: gr.EventData, request: gr.Request) -> Listing:
        try:
            shown = imports.piece(event._data, scope_of(request), request.session_hash or "")
        except NotedError as error:
            shown = {"refused": str(error)}
        return in_language(_answer_to(event, shown), language_of(request))

    return taking_in


def _answer_to(event: gr.EventData, listing: Listing) -> Listing:
    """The listing with the time at which it was asked for: what a page has already would not be shown again."""
    at = event._data.get("at") if isinstance(event._data, dict) else None
    return listing | {"at": at if isinstance(at, int) else 0}
