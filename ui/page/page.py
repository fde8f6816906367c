"""The page: its layout, and which handler answers which event. No logic."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from assistant.types import Scope
from ui.page.conversation.conversation import ConversationHandlers
from ui.page.conversation_list.conversation_list import ConversationListHandlers
from ui.page.events import PageEvents, note
from ui.page.header.header import HeaderHandlers
from ui.page.header.own_models import OwnModels
from ui.page.insights.insights import InsightsHandlers
from ui.page.learn.learn import LearnHandlers
from ui.page.lessons.lessons import DraftHandlers
from ui.page.memory.importing import ImportHandlers
from ui.page.memory.memory import MemoryHandlers
from ui.page.offers.offers import OfferHandlers
from ui.page.practice.practice import PracticeHandlers
from ui.page.sheet.sheet import SheetHandlers
from ui.page.study.study import StudyHandlers
from ui.page.tokens.tokens import TokenHandlers
from ui.page.trial.trial import TrialHandlers
from ui.server.services import Services
from ui.server.sign_in import SignIn
from ui.server.status import EXAMPLES_BY_LANGUAGE
from ui.words.texts import texts

# No secret: it only keeps the id readable for the same browser after a restart. What it opens is decided by the scope.
_STORED_AS = "noted-conversation"

NO_SIGN_IN = SignIn()


def build_page(
    services: Services, way: SignIn = NO_SIGN_IN, may_make_tokens: Callable[[Scope], bool] = lambda _scope: False
) -> gr.Blocks:
    """The page for these services, how people sign in to it, and who makes tokens on it; `ui.serve` shows it."""
    # Gradio serves OAuth where its button is on the page. Ours is a link at the head of the page, so this one is not
    # shown; made outside of a page, it has no events either.
    signs_in: list[Any] = [gr.LoginButton(icon=None, visible=False, render=False)] if way.enter else []
    own = OwnModels(
        services.models.own, services.models.connected,
        allowance=services.assistant.allowance, measure=services.models.measure, local=services.models.local,
    )  # fmt: skip
    events = PageEvents(services.work, own)
    show = events.show
    chat, imports = ConversationHandlers(services, own.parts), ImportHandlers(services)
    memory = MemoryHandlers(services, imports, own.forget)
    page: gr.Blocks
    with gr.Blocks(title=texts()["page_title"], analytics_enabled=False, fill_width=True) as page:
        for button in signs_in:
            button.render()
        stored = gr.BrowserState("", storage_key=_STORED_AS, secret=_STORED_AS)
        head = HeaderHandlers(services, way, own)
        header = show(head.panel())
        note(head, page.load, header)
        with gr.Row(elem_id="talk"):
            show(ConversationListHandlers(services).panel())
            events.show_conversation(chat, chat.panel(EXAMPLES_BY_LANGUAGE), page, stored)
        with gr.Column(elem_id="memory-pane"):
            show(OfferHandlers(services).panel(), header.memory)
            show(DraftHandlers(services).panel(), header.memory)
            show(memory.panel(), header.memory)
            show(TrialHandlers(services).panel())
            show(SheetHandlers(services).panel(), header.memory)
            show(LearnHandlers(services, own.parts).panel())
            show(StudyHandlers(services, own.parts).panel())
            show(PracticeHandlers(services, own.parts).panel())
            show(TokenHandlers(services, may_make_tokens).panel(), header.memory)
        with gr.Column(elem_id="insights-pane"):
            show(InsightsHandlers(services).panel(), header.insights)
    return page
