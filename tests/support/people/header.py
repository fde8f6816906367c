"""The header of a page, models that users connect there, and questions to these."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

from assistant.types import Scope
from tests.support.threads import drain
from ui.page.conversation import ConversationHandlers
from ui.page.header import HeaderHandlers, OwnModels
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.server.sign_in import SignIn

LOCAL, VISITOR, SIGNED_IN = Scope(LOCAL_PERSON), Scope("visitor:1"), Scope("hf:ann")
PAGE = "page"


class Header:
    """Handlers of one server's pages, as far as tests need them."""

    def __init__(self, services: Services, clock: Callable[[], float] = monotonic) -> None:
        self.services = services
        self.own = OwnModels(replace(services.models, measure=lambda _: None), clock=clock)
        self.head = HeaderHandlers(services, SignIn(), self.own)
        self.chat = ConversationHandlers(services, self.own.parts)

    def ask(self, scope: Scope = LOCAL, page: str = PAGE) -> dict[str, Any]:
        data = {"question": "What is akin to quick?", "conversation": "c", "run": "r"}
        return drain(self.chat.ask(data, scope, page))[-1]
