"""Sharing with everyone: offers, the curators who decide about them, and how much of it one prompt may hold.

What is remembered is private. A person offers an entry; a curator accepts, edits or declines it. What is accepted is a
copy that belongs to nobody and names nobody. The person's own entry stays as it is.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from assistant.errors import NotCurator
from assistant.kinds import Body, Content, Triple
from assistant.sentences import Sentence, known, plain
from assistant.text.content_rules import check_shared
from assistant.types import Action, Candidate, Decision, Entry, Scope

LONGEST_REASON = 500
"""Characters of the reason that a curator may give for declining."""

OTHER_QUESTION = Sentence("left_out.other_question")
EXCEPTED = Sentence("left_out.excepted")
RESTS_SHARED = Sentence("left_out.rests_for_you")
RESTS = Sentence("left_out.rests")
RESTS_AS_IT_HURT = Sentence("left_out.rests_as_it_hurt")
KEPT_BACK = (EXCEPTED, RESTS_SHARED, RESTS, RESTS_AS_IT_HURT)
"""Why an entry is not used that the person can have used again."""
ANOTHER_SHARED = Sentence("left_out.another_shared")
_PLAIN = plain("").code


def _reply(text: str) -> list[Sentence]:
    said = known(text)  # a reply that the app itself has words for is shown in the language of the curator
    return [Sentence("copy.wrong_understanding", {"text": text if said.code == _PLAIN else said})]


def _lines(triples: Sequence[Mapping[str, str]]) -> list[Sentence]:
    return [Sentence("copy.triple", {"text": Triple.model_validate(triple).line}) for triple in triples]


def _by_name(name: str) -> Callable[[Any], list[Sentence]]:
    """How a field is told that the table has no words for."""
    return lambda value: [plain(f"{name}: {value}")]


_TOLD: Mapping[str, Callable[[Any], list[Sentence]]] = {
    "wrong_understanding": _reply,
    "only_its_question": lambda _: [Sentence("copy.only_its_question")],
    "denied": lambda _: [Sentence("copy.denied")],
    "triples": _lines,
}
"""Fields of a copy, as they are stored, to how a curator reads them."""
_OWNERS_ONLY = Body.model_fields.keys() - _TOLD.keys() | {"one_valued"}
"""Fields that no copy has: they say what an entry is to other entries of its owner, or were written for the owner."""


def body_of_copy(entry: Content, text: str) -> Body:
    """Return what the copy of an entry says in these words."""
    said = {**entry.body.stored(), **entry.in_words(text)}
    return entry.kind.body.model_validate({name: said[name] for name in said.keys() - _OWNERS_ONLY})


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
    copy: Content  # what everyone gets once it is accepted, or gets already
    found_by: tuple[str, ...] = ()  # keys of the copy beside its question

    @property
    def told(self) -> tuple[Sentence, ...]:
        """All that the copy holds beside the text that people read, for the curator. No field of it is left out."""
        copy, question = self.copy, Sentence("copy.question", {"text": self.copy.question})
        fields = ((name, value) for name, value in copy.body.stored().items() if name != copy.kind.shown)
        said = [sentence for name, value in fields for sentence in _TOLD.get(name, _by_name(name))(value)]
        keys = [Sentence("copy.key", {"text": key}) for key in self.found_by]
        return (*([] if copy.question == copy.shown else [question]), *said, *keys)

    @property
    def seal(self) -> str:
        """Stands for all that the copy holds: another one would get another seal."""
        held = json.dumps([self.copy.kind.name, self.copy.question, self.copy.body.stored(), self.found_by])
        return hashlib.sha256(held.encode()).hexdigest()


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


@dataclass(slots=True)
class OneShared:
    """Lets a person's own entries into the prompts of one turn, and one shared entry at most: the first that comes."""

    entry_id: str = ""  # of the shared one

    @classmethod
    def of(cls, decisions: Sequence[Decision]) -> Self:
        """With the shared entry that stands in the prompt already, if one does."""
        into_prompt = (one.entry for one in decisions if one.action is not Action.LEAVE)
        return cls(next((entry.id for entry in into_prompt if entry.shared), ""))

    def __call__(self, entry: Entry) -> bool:
        if entry.shared and not self.entry_id:
            self.entry_id = entry.id
        return not entry.shared or entry.id == self.entry_id


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


def out_of_bounds(candidate: Candidate) -> Sentence | None:
    """Why an entry does not count for a question; None where nothing keeps it from that."""
    entry, scores = candidate.entry, candidate.scores
    if scores.get("other_question"):
        return OTHER_QUESTION
    if entry.resting and entry.kind.keyed and entry.hurt > entry.helped:
        return RESTS_AS_IT_HURT  # by itself: a lesson is a model's
    if entry.resting:
        return RESTS_SHARED if entry.shared else RESTS
    return EXCEPTED if scores.get("excepted") else None
