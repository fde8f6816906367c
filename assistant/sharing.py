"""Sharing with everyone: offers, curators, and the limit of shared entries per prompt; exclusion by reach.

Entries are private. A user offers one; a curator accepts, edits or declines it. Accepting creates a copy without owner
or name; the user's own entry is unchanged.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from assistant.errors import NotCurator
from assistant.kinds import Body, Content, Triple
from assistant.sentences import Sentence, find_sentence, plain
from assistant.text.content_rules import check_shared
from assistant.types import Action, Candidate, Decision, Entry, Scope

LONGEST_REASON = 500
"""Characters of a curator's reason for declining."""

OTHER_QUESTION = Sentence("left_out.other_question")
EXCEPTED = Sentence("left_out.excepted")
RESTS_SHARED = Sentence("left_out.rests_for_you")
RESTS = Sentence("left_out.rests")
RESTS_AS_IT_HURT = Sentence("left_out.rests_as_it_hurt")
KEPT_BACK = (EXCEPTED, RESTS_SHARED, RESTS, RESTS_AS_IT_HURT)
"""Reasons that the user can revoke."""
ANOTHER_SHARED = Sentence("left_out.another_shared")
_OWNERS_ONLY = Body.model_fields.keys() - {"wrong_understanding", "only_its_question"}
"""Fields that copies lack: relations to other entries of the owner, and texts for the owner."""


def body_of_copy(entry: Content, text: str) -> Body:
    """Return the body of the shared copy of an entry, with this text."""
    said = {**entry.body.stored(), **entry.in_words(text)}
    return entry.kind.body.model_validate({name: said[name] for name in said.keys() - _OWNERS_ONLY})


class OfferState(StrEnum):
    """State of an offer. Only an `accepted` one has a copy."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry offered to everyone, as its owner sees it."""

    id: str
    entry_id: str
    state: OfferState
    offered: datetime  # UTC
    decided: datetime | None = None  # or withdrawn (UTC); None if open
    reason: str = ""  # for declining it

    @property
    def stands(self) -> bool:
        """Return True if it is undecided or shared."""
        return self.state in {OfferState.OFFERED, OfferState.ACCEPTED}


@dataclass(frozen=True, slots=True)
class Offered:
    """An offer as a curator sees it."""

    offer: Offer
    who: str  # id of the user
    copy: Content  # for everyone
    found_by: tuple[str, ...] = ()  # keys of the copy, except its question

    @property
    def told(self) -> tuple[Sentence, ...]:
        """Return all fields of the copy except its text, as messages for the curator."""
        copy, told = self.copy, list[Sentence]()
        if copy.question != copy.shown:
            told.append(Sentence("copy.question", {"text": copy.question}))
        for name, value in copy.body.stored().items():
            match name:
                case "wrong_understanding":
                    said = find_sentence(value)  # the app's own messages are translated to the curator's language
                    text = value if said == plain(value) else said
                    told.append(Sentence("copy.wrong_understanding", {"text": text}))
                case "only_its_question":
                    told.append(Sentence("copy.only_its_question"))
                case "denied":
                    told.append(Sentence("copy.denied"))
                case "triples":
                    lines = (Triple.model_validate(triple).line for triple in value)
                    told += [Sentence("copy.triple", {"text": line}) for line in lines]
                case copy.kind.shown:
                    pass
                case _:
                    told.append(plain(f"{name}: {value}"))
        return (*told, *(Sentence("copy.key", {"text": key}) for key in self.found_by))

    @property
    def seal(self) -> str:
        """Return a hash of the copy, so that a curator accepts only what they saw."""
        held = json.dumps([self.copy.kind.name, self.copy.question, self.copy.body.stored(), self.found_by])
        return hashlib.sha256(held.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Curator:
    """Permission to decide on offers. Raises NotCurator unless `named` in the settings has the user."""

    scope: Scope
    named: frozenset[str] = field(repr=False)

    def __post_init__(self) -> None:
        if self.scope.person not in self.named:
            raise NotCurator


@dataclass(frozen=True, slots=True)
class SharingRules:
    """Permissions to offer and to decide, and the content rules."""

    curators: frozenset[str] = frozenset()  # ids
    may_offer: Callable[[Scope], bool] = lambda _scope: True
    check: Callable[[str], None] = check_shared  # raises InputError; called when a text is offered and accepted


def allow_one_shared(decisions: Sequence[Decision]) -> Callable[[Entry], bool]:
    """Return a filter for further entries of a prompt: all own ones, and only the shared one of these decisions.

    If they have none, it allows the first shared entry that it is asked about.
    """
    into_prompt = (one.entry for one in decisions if one.action is not Action.SKIP)
    allowed = [entry.id for entry in into_prompt if entry.shared][:1]

    def may_stand(entry: Entry) -> bool:
        if entry.shared and not allowed:
            allowed.append(entry.id)
        return not entry.shared or entry.id in allowed

    return may_stand


def limit_shared(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Return the decisions with at most one shared entry in the prompt.

    Used entries are preferred to offered entries, and these to examples; among equals, the first is kept.
    """
    into_prompt = [found for found in decisions if found.entry.shared and found.action is not Action.SKIP]
    order = (Action.USE, Action.OFFER, Action.SHOW)
    kept = min(into_prompt, key=lambda found: order.index(found.action), default=None)
    return tuple(
        replace(found, action=Action.SKIP, reason=ANOTHER_SHARED)
        if found.entry.shared and found.action is not Action.SKIP and found is not kept
        else found
        for found in decisions
    )


def find_exclusion(candidate: Candidate) -> Sentence | None:
    """Return the reason why reach or the user exclude an entry from a question, or None."""
    entry, scores = candidate.entry, candidate.scores
    if scores.get("other_question"):
        return OTHER_QUESTION
    if entry.resting and entry.kind.keyed and entry.hurt > entry.helped:
        return RESTS_AS_IT_HURT  # lessons are paused automatically
    if entry.resting:
        return RESTS_SHARED if entry.shared else RESTS
    return EXCEPTED if scores.get("excepted") else None
