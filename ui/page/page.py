"""Compose the page: its panels and the handlers of their events; no logic."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.routing import Route

from assistant.types import Scope
from ui.page.conversation.conversation import ConversationHandlers
from ui.page.conversation_list import ConversationListHandlers
from ui.page.document import Document
from ui.page.events import PageEvents
from ui.page.header.header import HeaderHandlers
from ui.page.header.own_models import OwnModels
from ui.page.insights import InsightsHandlers
from ui.page.memory.memory import MemoryHandlers, OfferHandlers
from ui.page.settings import SettingsHandlers, TokenHandlers
from ui.page.sheet import SheetHandlers
from ui.page.teach.importing import ImportHandlers
from ui.page.teach.learn import LearnHandlers
from ui.page.teach.practice import PracticeHandlers
from ui.page.teach.study import StudyHandlers
from ui.page.teach.suggestions import SuggestionHandlers
from ui.page.teach.teach import TeachHandlers
from ui.server.services import Services
from ui.server.sign_in import SignIn
from ui.server.status import EXAMPLES

NO_SIGN_IN = SignIn()


@dataclass(frozen=True, slots=True)
class PageApp:
    """Document and events of the page."""

    document: Document
    events: PageEvents

    @property
    def routes(self) -> Sequence[Route]:
        """Return the routes of the page."""
        return (
            Route("/", self.document.page),
            Route("/static/{version}/{name:path}", self.document.file),
            Route("/page/{panel}/{event}", self.events.answer, methods=["POST"]),
        )


def build_page(
    services: Services, way: SignIn = NO_SIGN_IN, may_make_tokens: Callable[[Scope], bool] = lambda _scope: False
) -> PageApp:
    """Compose the page for these services, this sign-in and this permission to make tokens."""
    own = OwnModels(services.models, services.assistant.allowance)
    chat, imports = ConversationHandlers(services, own.parts), ImportHandlers(services)
    head = HeaderHandlers(services, way, own)
    header = head.panel()
    panels = [
        header,
        chat.panel(EXAMPLES),
        ConversationListHandlers(services).panel(),
        OfferHandlers(services).panel(),
        MemoryHandlers(services, imports, own.forget).panel(),
        SuggestionHandlers(services).panel(),
        TeachHandlers(services, own.parts).panel(),
        imports.panel(),
        SheetHandlers(services).panel(),
        LearnHandlers(services, own.parts).panel(),
        StudyHandlers(services, own.parts).panel(),
        PracticeHandlers(services, own.parts).panel(),
        SettingsHandlers(services).panel(),
        TokenHandlers(services, may_make_tokens).panel(),
        InsightsHandlers(services).panel(),
    ]
    events = PageEvents(services.work, own)
    for panel in panels:
        events.add(panel)
    events.add_look(header, head)
    return PageApp(Document(panels, services.card_parts, has_passwords=way.passwords is not None), events)
