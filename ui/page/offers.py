"""Offers section of the Memory page, for curators."""

from assistant.errors import NotCurator
from assistant.sharing import LONGEST_REASON
from assistant.types import Scope
from ui.actions import sharing
from ui.page.conversation.views import offered_view
from ui.page.panel import Handlers, Panel, View, convert_refusals, operation_handler

MOST_SHOWN = 100


class OfferHandlers(Handlers):
    """Event handlers. Each returns `{"curator": bool, "offers": […], "more": bool}`.

    After an action also `done`, the name of a string, and `changed`, the id of the offer.
    """

    def panel(self) -> Panel:
        props = {"longest": self._services.assistant.limits.clarification, "longest_reason": LONGEST_REASON}
        return Panel("offers", events=(self.look, self.accept, self.decline), props=props)

    @convert_refusals
    def look(self, _data: object, scope: Scope) -> View:
        """Return waiting offers and shared entries. On a server for one user, nobody is a curator."""
        try:
            if not self._services.has_several_users:
                raise NotCurator
            found = sharing.offers(self._call(scope), MOST_SHOWN + 1)
        except NotCurator:
            return {"curator": False, "offers": [], "more": False}
        shown = [offered_view(offered, scope) for offered in found[:MOST_SHOWN]]
        return {"curator": True, "offers": shown, "more": len(found) > MOST_SHOWN}

    accept = operation_handler(sharing.accept, "offer_accepted", lambda offer: {"changed": offer.id})
    decline = operation_handler(sharing.decline, "offer_declined_now", lambda offer: {"changed": offer.id})
