"""What happens when a curator looks at offers and decides about them. Plain functions; no Gradio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.errors import NotCurator, NotedError
from assistant.limits import DEFAULT_LIMITS
from assistant.text import checked
from ui.handlers import id_in, text_in
from ui.render import offered_view

if TYPE_CHECKING:
    from assistant.ports import Sharing
    from assistant.types import Scope

MOST_SHOWN = 100

Offers = dict[str, Any]


class OfferHandlers:
    """One method per event of the list of offers. Each returns what the list then shows: to a curator only.

    Args:
        sharing: the offers.
        longest: most characters of what is shared.
    """

    def __init__(self, sharing: Sharing, longest: int = DEFAULT_LIMITS.clarification) -> None:
        self._sharing = sharing
        self._longest = longest

    def look(self, _data: object, scope: Scope) -> Offers:
        """What waits for a decision, and what is shared."""
        try:
            offers = self._sharing.offers(self._sharing.curator(scope), MOST_SHOWN + 1)
        except NotCurator:
            return {"curator": False, "offers": [], "more": False}
        except NotedError as error:
            return {"refused": str(error)}
        shown = [offered_view(offered, scope) for offered in offers[:MOST_SHOWN]]
        return {"curator": True, "offers": shown, "more": len(offers) > MOST_SHOWN}

    def accept(self, data: object, scope: Scope) -> Offers:
        """Share what was offered (`offer`) in these words (`text`)."""
        try:
            text = checked(text_in(data, "text"), self._longest)
            offer = self._sharing.accept(id_in(data, "offer"), self._sharing.curator(scope), text)
        except NotedError as error:
            return {"refused": str(error)}
        return self.look(data, scope) | {"done": "offer_accepted", "changed": offer.id}

    def decline(self, data: object, scope: Scope) -> Offers:
        """Decline what was offered (`offer`), or share it no longer, for a `reason`, which may be empty."""
        try:
            curator = self._sharing.curator(scope)
            offer = self._sharing.decline(id_in(data, "offer"), text_in(data, "reason"), curator)
        except NotedError as error:
            return {"refused": str(error)}
        return self.look(data, scope) | {"done": "offer_declined_now", "changed": offer.id}
