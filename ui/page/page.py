"""The page: its layout, and which handler answers which event. No logic."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gradio as gr

from assistant.types import Decision, Question, Scope
from ui.page.conversation.conversation import ConversationHandlers
from ui.page.conversation_list.conversation_list import ConversationListHandlers
from ui.page.events import PageEvents, note
from ui.page.header.header import HeaderHandlers
from ui.page.header.own_models import OwnModels
from ui.page.insights.insights import InsightsHandlers
from ui.page.learn.learn import LearnHandlers
from ui.page.lessons.waiting import DraftHandlers
from ui.page.memory.importing import ImportHandlers
from ui.page.memory.memory import MemoryHandlers
from ui.page.offers.offers import OfferHandlers
from ui.page.practice.practice import PracticeHandlers
from ui.page.sheet.sheet import SheetHandlers
from ui.page.study.study import StudyHandlers
from ui.page.tokens.tokens import TokenHandlers
from ui.page.trial.trial import TrialHandlers
from ui.server.permissions import PerMinute
from ui.server.services import Services
from ui.server.sign_in import SignIn
from ui.server.status import EXAMPLES_BY_LANGUAGE
from ui.words.texts import texts

_SEARCHES_PER_MINUTE = 30
# No secret: it only keeps the id readable for the same browser after a restart. What it opens is decided by the scope.
_STORED_AS = "noted-conversation"

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
    own = OwnModels(
        services.models.own, services.models.connected,
        allowance=allowance, measure=services.models.measure, local=services.models.local,
    )  # fmt: skip
    events = PageEvents(services.work, own)
    show = events.show
    chat = ConversationHandlers(assistant, services.runs, sharing, own.parts, services.card_parts)
    imports = ImportHandlers(services.upkeep.take_in, allowance)
    memory = MemoryHandlers(
        assistant.memory, sharing, limits.clarification, services.export, allowance, assistant.undo,
        _each(own.forget, imports.stop_all), assistant.set_reach,
        partial(_akin, services), PerMinute(_SEARCHES_PER_MINUTE, 0),
    )  # fmt: skip
    page: gr.Blocks
    with gr.Blocks(title=words["page_title"], analytics_enabled=False, fill_width=True) as page:
        for button in signs_in:
            button.render()
        stored = gr.BrowserState("", storage_key=_STORED_AS, secret=_STORED_AS)
        head = HeaderHandlers(services, way, own)
        header = show(head.panel())
        note(head, page.load, header)
        with gr.Row(elem_id="talk"):
            show(ConversationListHandlers(services.conversations, allowance).panel())
            events.show_conversation(chat, chat.panel(EXAMPLES_BY_LANGUAGE), page, stored)
        with gr.Column(elem_id="memory-pane"):
            show(OfferHandlers(sharing, limits.clarification).panel(), header.memory)
            show(DraftHandlers(services.lessons).panel(), header.memory)
            show(memory.panel(imports, keep_days), header.memory)
            show(TrialHandlers(assistant.preview, limits.question, assistant.memory.resume).panel())
            show(SheetHandlers(services.sheet, services.sheet_editing, allowance).panel(), header.memory)
            show(LearnHandlers(services.reads, services.sheet_editing, own.parts, allowance).panel())
            show(StudyHandlers(services.study, own.parts).panel())
            show(PracticeHandlers(services.practice, own.parts, limits).panel())
            show(TokenHandlers(services.tokens, may_make_tokens, allowance).panel(), header.memory)
        with gr.Column(elem_id="insights-pane"):
            numbers = InsightsHandlers(services.insights, assistant.memory, sharing, keep_days)
            show(numbers.panel(), header.insights)
    return page


def _akin(services: Services, text: str, scope: Scope) -> Sequence[Decision]:
    """What a question with the words of a search would find."""
    return services.parts.gate(services.parts.recall(Question(text), scope), scope)


def _each(*acts: Callable[[Scope], object]) -> Callable[[Scope], None]:
    def act(scope: Scope) -> None:
        for one in acts:
            one(scope)

    return act
