"""Sharing with everyone: offers, the curators who decide about them, and how much of it one prompt may hold.

What is remembered is private. A person offers an entry; a curator accepts, edits or declines it. What is accepted is a
copy that belongs to nobody and names nobody. The person's own entry stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from assistant.content_rules import check_shared
from assistant.errors import NotCurator
from assistant.types import Action, Decision, Scope

LONGEST_REASON = 500
"""Characters of the reason that a curator may give for declining."""

ANOTHER_SHARED = "Left out: another note that is shared with everyone is nearer."


class OfferState(StrEnum):
    """What became of an offer. Only an `accepted` one has a copy that counts for everyone."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry offered to everyone, as the person who offered it sees it.

    Args:
        id: stable id.
        entry_id: the person's own entry.
        state: where it stands.
        offered: when it was offered (UTC).
        decided: when a curator decided, or it was withdrawn (UTC); None while it waits.
        reason: why a curator declined it; may be empty.
    """

    id: str
    entry_id: str
    state: OfferState
    offered: datetime
    decided: datetime | None = None
    reason: str = ""

    @property
    def stands(self) -> bool:
        """Whether it waits or is shared; else it has ended."""
        return self.state in {OfferState.OFFERED, OfferState.ACCEPTED}


@dataclass(frozen=True, slots=True)
class Offered:
    """An offer as a curator sees it: who, when, for what question, and what it says.

    Args:
        offer: the offer.
        who: id of the person who offered it.
        question: the question that it was given for.
        text: what it says; once it is accepted, what everyone gets.
        misunderstood: how the question had been understood; empty where that is not shared.
    """

    offer: Offer
    who: str
    question: str
    text: str
    misunderstood: str


@dataclass(frozen=True, slots=True)
class Curator:
    """The right to decide about offers. There is none but for an identity that the settings name.

    Args:
        scope: who it is; from the server, as every scope.
        named: ids of the curators.

    Raises:
        NotCurator: the person is not named.
    """

    scope: Scope
    named: frozenset[str] = field(repr=False)

    def __post_init__(self) -> None:
        if self.scope.person not in self.named:
            raise NotCurator


def _everybody(_scope: Scope) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class SharingRules:
    """Who may offer, what may be offered, and who decides.

    Args:
        curators: ids of the people who decide.
        may_offer: whether a person may offer anything.
        check: raises InputError, with a sentence, for a text that is not to be shared. Asked when something is offered
            and again when it is accepted.
    """

    curators: frozenset[str] = frozenset()
    may_offer: Callable[[Scope], bool] = _everybody
    check: Callable[[str], None] = check_shared


def at_most_one_shared(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """The decisions, of which one at most puts a shared entry into the prompt.

    One that is used goes before one that is offered, and that before one that is shown as an example; else the first.
    """
    into_prompt = [found for found in decisions if found.entry.shared and found.action is not Action.LEAVE]
    kept = min(into_prompt, key=lambda found: _RANK[found.action], default=None)
    return tuple(
        replace(found, action=Action.LEAVE, reason=ANOTHER_SHARED)
        if found.entry.shared and found.action is not Action.LEAVE and found is not kept
        else found
        for found in decisions
    )


_RANK = {action: place for place, action in enumerate((Action.USE, Action.OFFER, Action.SHOW))}
