"""Sharing with everyone: offers, the curators who decide about them, and how much of it one prompt may hold.

What is remembered is private. A person offers an entry; a curator accepts, edits or declines it. What is accepted is a
copy that belongs to nobody and names nobody. The person's own entry stays as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from assistant.errors import NotCurator
from assistant.sentences import Sentence
from assistant.text.content_rules import check_shared
from assistant.types import Action, Decision, Scope

LONGEST_REASON = 500
"""Characters of the reason that a curator may give for declining."""

ANOTHER_SHARED = Sentence("left_out.another_shared")


class OfferState(StrEnum):
    """What became of an offer. Only an `accepted` one has a copy that counts for everyone."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry offered to everyone, as the person who offered it sees it."""

    id: str  # stable id
    entry_id: str  # the person's own entry
    state: OfferState  # where it stands
    offered: datetime  # when it was offered (UTC)
    decided: datetime | None = None  # when a curator decided, or it was withdrawn (UTC); None while it waits
    reason: str = ""  # why a curator declined it; may be empty

    @property
    def stands(self) -> bool:
        """Whether it waits or is shared; else it has ended."""
        return self.state in {OfferState.OFFERED, OfferState.ACCEPTED}


@dataclass(frozen=True, slots=True)
class Offered:
    """An offer as a curator sees it: who, when, for what question, and what it says."""

    offer: Offer  # the offer
    who: str  # id of the person who offered it
    question: str  # the question that it was given for
    text: str  # what it says; once it is accepted, what everyone gets
    misunderstood: str  # how the question had been understood; empty where that is not shared


@dataclass(frozen=True, slots=True)
class Curator:
    """The right to decide about offers. Raises NotCurator unless `named`, ids of the settings, holds the person."""

    scope: Scope
    named: frozenset[str] = field(repr=False)

    def __post_init__(self) -> None:
        if self.scope.person not in self.named:
            raise NotCurator


@dataclass(frozen=True, slots=True)
class SharingRules:
    """Who may offer, what may be offered, and who decides."""

    curators: frozenset[str] = frozenset()  # ids of the people who decide
    may_offer: Callable[[Scope], bool] = lambda _scope: True  # whether a person may offer anything
    # raises InputError, with a sentence, for a text that is not to be shared. Asked when something is offered
    # and again when it is accepted.
    check: Callable[[str], None] = check_shared


def at_most_one_shared(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """The decisions, of which one at most puts a shared entry into the prompt.

    One that is used goes before one that is offered, and that before one that is shown as an example; else the first.
    """
    into_prompt = [found for found in decisions if found.entry.shared and found.action is not Action.LEAVE]
    order = (Action.USE, Action.OFFER, Action.SHOW)
    kept = min(into_prompt, key=lambda found: order.index(found.action), default=None)
    return tuple(
        replace(found, action=Action.LEAVE, reason=ANOTHER_SHARED)
        if found.entry.shared and found.action is not Action.LEAVE and found is not kept
        else found
        for found in decisions
    )
