"""Compose the page: its panels and the handlers of their events; no logic."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.routing import Route

from assistant.types import Scope
from ui.page.conversation import ConversationHandlers
from ui.page.document import Document
from ui.page.events import PageEvents
from ui.page.handlers import Handlers
from ui.page.header import HeaderHandlers
from ui.page.lists import ConversationListHandlers, InsightsHandlers, SettingsHandlers, TokenHandlers
from ui.page.memory import MemoryHandlers, OfferHandlers
from ui.page.own_models import OwnModels
from ui.page.teach import ImportHandlers, SheetHandlers, SuggestionHandlers, TeachHandlers
from ui.page.texts import LearnHandlers, PracticeHandlers, StudyHandlers
from ui.server.services import Services
from ui.server.sign_in import SignIn

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
    imports = ImportHandlers(services)
    panels: list[Handlers] = [
        HeaderHandlers(services, way, own),
        ConversationHandlers(services, own.parts),
        ConversationListHandlers(services),
        OfferHandlers(services),
        MemoryHandlers(services, imports, own.forget),
        SuggestionHandlers(services),
        TeachHandlers(services, own.parts),
        imports,
        SheetHandlers(services),
        LearnHandlers(services, own.parts),
        StudyHandlers(services, own.parts),
        PracticeHandlers(services, own.parts),
        SettingsHandlers(services),
        TokenHandlers(services, may_make_tokens),
        InsightsHandlers(services),
    ]
    document = Document(panels, services.card_parts, has_passwords=way.passwords is not None)
    return PageApp(document, PageEvents(panels, services.work, own.expect))
