"""A section of the Memory page that only curators see: the offers that they decide about. No Gradio."""

from assistant.errors import NotCurator
from assistant.sharing import LONGEST_REASON
from assistant.types import Scope
from ui.actions.sharing import accept, decline, offers
from ui.page.conversation.views import offered_view
from ui.page.panel import Handlers, Panel, View, perform, refusing

MOST_SHOWN = 100


class OfferHandlers(Handlers):
    """One method per event. Each returns `{"curator": bool, "offers": […], "more": bool}`.

    With it, `done` is the name of a text, and `changed` the id of the offer that it is about.
    """

    def panel(self) -> Panel:
        props = {"longest": self._services.assistant.limits.clarification, "longest_reason": LONGEST_REASON}
        events = (self.look, self.accept, self.decline)
        return Panel("offers", ("connection.js", "sending.js", "asking.js", "script.js"), events, props=props)

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """What waits for a decision, and what is shared."""
        try:
            found = offers(self._call(scope), MOST_SHOWN + 1)
        except NotCurator:
            return {"curator": False, "offers": [], "more": False}
        shown = [offered_view(offered, scope) for offered in found[:MOST_SHOWN]]
        return {"curator": True, "offers": shown, "more": len(found) > MOST_SHOWN}

    @refusing
    def accept(self, data: object, scope: Scope) -> View:
        """Share what was offered (`offer`), as it was seen (`seal`), in these words (`text`)."""
        offer = perform(accept, self._call(scope), data)
        return self.look(data, scope) | {"done": "offer_accepted", "changed": offer.id}

    @refusing
    def decline(self, data: object, scope: Scope) -> View:
        """Decline what was offered (`offer`), or share it no longer, for a `reason`, which may be empty."""
        offer = perform(decline, self._call(scope), data)
        return self.look(data, scope) | {"done": "offer_declined_now", "changed": offer.id}
