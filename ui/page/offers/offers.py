"""A section of the Memory page that only curators see: the offers that they decide about. No Gradio."""

from assistant.errors import NotCurator
from assistant.limits import DEFAULT_LIMITS
from assistant.ports import Sharing
from assistant.sharing import LONGEST_REASON
from assistant.text.cleaning import checked
from assistant.types import Scope
from ui.page.conversation.views import offered_view
from ui.page.panel import Panel, View, id_in, refusing, text_in

MOST_SHOWN = 100


class OfferHandlers:
    """One method per event. Each returns `{"curator": bool, "offers": […], "more": bool}`.

    With it, `done` is the name of a text, and `changed` the id of the offer that it is about. What is shared has
    `longest` characters at most.
    """

    def __init__(self, sharing: Sharing, longest: int = DEFAULT_LIMITS.clarification) -> None:
        self._sharing = sharing
        self._longest = longest

    def panel(self) -> Panel:
        props = {"longest": self._longest, "longest_reason": LONGEST_REASON}
        events = (self.look, self.accept, self.decline)
        return Panel("offers", ("connection.js", "sending.js", "asking.js", "script.js"), events, props=props)

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """What waits for a decision, and what is shared."""
        try:
            offers = self._sharing.offers(self._sharing.curator(scope), MOST_SHOWN + 1)
        except NotCurator:
            return {"curator": False, "offers": [], "more": False}
        shown = [offered_view(offered, scope) for offered in offers[:MOST_SHOWN]]
        return {"curator": True, "offers": shown, "more": len(offers) > MOST_SHOWN}

    @refusing
    def accept(self, data: object, scope: Scope) -> View:
        """Share what was offered (`offer`), as it was `seen`, in these words (`text`)."""
        text, curator = checked(text_in(data, "text"), self._longest), self._sharing.curator(scope)
        offer = self._sharing.accept(id_in(data, "offer"), curator, text, id_in(data, "seen"))
        return self.look(data, scope) | {"done": "offer_accepted", "changed": offer.id}

    @refusing
    def decline(self, data: object, scope: Scope) -> View:
        """Decline what was offered (`offer`), or share it no longer, for a `reason`, which may be empty."""
        curator = self._sharing.curator(scope)
        offer = self._sharing.decline(id_in(data, "offer"), text_in(data, "reason"), curator)
        return self.look(data, scope) | {"done": "offer_declined_now", "changed": offer.id}
