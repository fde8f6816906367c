"""Operations on offers to everyone and on shared entries."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from assistant.sharing import LONGEST_REASON, Offer, Offered
from assistant.text.cleaning import check_text
from ui.actions.arguments import EntryId, Id, Limit
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, Who, operation
from ui.actions.results import Text, View, read

Seal = Annotated[Id, Field(min_length=1, description="As `offers` shows it, so that what was seen is shared.")]
Wording = Annotated[str, Field(description="What everyone gets, where that is not what was offered."), Role.WORDS]
Reason = Annotated[str, Field(max_length=LONGEST_REASON, description="Why, for the user who offered it."), Role.WORDS]
OfferId = Annotated[Id, Field(description="Id of the offer; `offers` shows it.")]


class OfferedView(View):
    """An offer as curators see it, with all that would be shared."""

    offer: Offer
    who: str = Field(description="The user who offers it.")
    type: str = read("copy.kind.name")
    question: str = read("copy.question")
    text: str = read("copy.shown")
    further: list[Text] = read("told", "What else everyone gets with it, in words.")
    seal: str = Field(description="Stands for all of this; `accept` needs it.")


@operation(saves=True)
def offer(call: Call, entry: EntryId) -> Offer:
    """Offer an entry to everyone; a curator decides."""
    return call.services.sharing.offer(call.entry(entry), call.scope)


@operation()
def withdraw(call: Call, entry: EntryId) -> Offer:
    """Withdraw an offer, and stop sharing its entry."""
    return call.services.sharing.withdraw(call.entry(entry), call.scope)


@operation(list[OfferedView], Who.CURATOR, Effect.READS, "offers")
def offers(call: Call, limit: Limit = 1_000) -> Sequence[Offered]:
    """List offers that wait for a curator, and shared entries."""
    return call.services.sharing.offers(call.curator, limit)


@operation(who=Who.CURATOR)
def accept(call: Call, offer: OfferId, seal: Seal, text: Wording = "") -> Offer:
    """Share an offered entry with everyone."""
    words = check_text(text, call.assistant.limits.clarification) if text else None
    return call.services.sharing.accept(offer, call.curator, words, seal)


@operation(who=Who.CURATOR)
def decline(call: Call, offer: OfferId, reason: Reason = "") -> Offer:
    """Decline an offer, or stop sharing its entry."""
    return call.services.sharing.decline(offer, reason, call.curator)
