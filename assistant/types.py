"""The core values: frozen, and independent of storage, models and user interfaces.

A *question* has an *understanding* and an *answer*; an *entry* is one stored thing with *keys* for retrieval; a *turn*
is one question with its answer, decisions and reactions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from enum import Enum, StrEnum, auto
from types import MappingProxyType

from assistant.errors import NoIdentity
from assistant.kinds import Content
from assistant.model_usage import Usage
from assistant.reply.fields import Reply as Reply  # noqa: PLC0414 - it is exported from here, too
from assistant.reply.fields import ReplyStatus as ReplyStatus  # noqa: PLC0414
from assistant.sentences import Sentence

NO_SCORES: Mapping[str, float] = MappingProxyType({})
LONGEST_PERSON = 200
SEED = "seed"
"""Model name of entries from the host's seed file."""
PRACTISED = "practice-"
"""Prefix of the ids of conversations of a practice."""
Clock = Callable[[], datetime]
"""Returns the time with its zone. For display only, never for ordering, since it may jump."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def day_of(moment: datetime, zone: tzinfo | None = None) -> date:
    """Return the day of a moment in a time zone; None is the zone of this process (TZ).

    >>> day_of(datetime(2026, 1, 1, 23, tzinfo=UTC), ZoneInfo("Asia/Kolkata")).isoformat()
    '2026-01-02'
    """
    return moment.astimezone(zone).date()


@dataclass(frozen=True, slots=True)
class Scope:
    """A user, with access to their own entries, and read access to shared ones.

    Built from the server's identity only; a browser can only set `zone`. Raises NoIdentity unless `person`, a stable
    id, has 1 to 200 printable characters.
    """

    person: str
    address: str = field(default="", compare=False, repr=False)  # of a visitor without an account, for rate limits
    zone: tzinfo | None = field(default=None, compare=False, repr=False)  # for days; None is the zone of this process

    def __post_init__(self) -> None:
        if not 0 < len(self.person) <= LONGEST_PERSON or not self.person.isprintable():
            raise NoIdentity

    def may_read(self, entry: Entry) -> bool:
        """Return True if the entry is the user's own, or shared with everyone."""
        return entry.owner == self.person or entry.shared


class Status(StrEnum):
    """State of an entry. Only `active` ones are retrieved; erased ones have no row."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class KeyOrigin(StrEnum):
    """Author of a key. `rule` keys, of earlier versions, are not searched."""

    QUESTION = "question"
    RULE = "rule"
    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Key:
    """A text for the retrieval of an entry."""

    text: str
    origin: KeyOrigin = KeyOrigin.QUESTION


@dataclass(frozen=True, slots=True)
class NewEntry(Content):
    idempotency_key: str  # each key is saved once
    turn: str = ""  # id of the turn it was given for, if any
    model: str = ""  # name of the model that had answered
    further_keys: tuple[Key, ...] = ()  # in addition to the question
    supersedes: str | None = None  # id of the entry that it replaces
    wants_keys: bool = False  # a model should write further keys later


@dataclass(frozen=True, slots=True)
class Entry(Content):
    """One stored thing.

    `resting` and `not_for` are of the user who reads it. A shared entry has no owner.
    """

    id: str
    owner: str
    shared: bool
    status: Status
    sequence: int  # sequence number of its change, independent of clocks
    created: datetime  # UTC
    keys: tuple[Key, ...]
    turn: str = ""
    model: str = ""
    supersedes: str | None = None
    used: int = 0
    helped: int = 0  # uses after which the user confirmed the answer
    hurt: int = 0  # uses after which they excluded it
    declined: int = 0  # answers that did not use an offered lesson
    resting: bool = False  # paused by the user
    not_for: tuple[str, ...] = ()  # not used for questions like these

    @property
    def seeded(self) -> bool:
        """Return True if it is from the host's seed file, and so read-only."""
        return self.shared and self.model == SEED

    def counts_in(self, conversation: str) -> bool:
        return self.only_in in {"", conversation}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that a retriever found for a question."""

    entry: Entry
    key: Key  # nearest to the question
    # features by name, mostly in [0, 1]; unavailable ones are absent
    scores: Mapping[str, float] = field(default_factory=lambda: NO_SCORES)


class Action(StrEnum):
    USE = "use"  # next to the question
    OFFER = "offer"  # as a note that the model can decline
    SHOW = "show"  # as an example
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Decision:
    candidate: Candidate
    action: Action
    probability: float  # that it applies, 0 to 1
    reason: Sentence  # for users

    @property
    def entry(self) -> Entry:
        return self.candidate.entry


class Use(StrEnum):
    """Role of an entry in an answer."""

    SPLICED = "spliced"  # next to the question
    CHOSEN = "chosen"  # next to the question, by the user's choice
    OFFERED = "offered"  # a note that the reply has not named yet
    FOLLOWED = "followed"  # a note that the reply names
    DECLINED = "declined"  # a note that the reply does not name
    SHOWN = "shown"  # an example

    @property
    def counts(self) -> bool:
        """Return True if the answer is based on the entry."""
        return self not in {Use.OFFERED, Use.DECLINED}


@dataclass(frozen=True, slots=True)
class Question:
    """A question for retrievers and the example selector."""

    text: str
    conversation: str = ""  # id
    left_out: tuple[str, ...] = ()  # ids of the entries that the user excluded


class Corrects(Enum):
    """Rule-based judgement of whether a message corrects the turn before."""

    NO = auto()
    MAYBE = auto()
    CERTAINLY = auto()


class MessageRole(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    role: MessageRole
    content: str
    grammar: str = ""  # of the reply in GBNF, for a model in this process


@dataclass(frozen=True, slots=True)
class Prompt:
    messages: tuple[Message, ...]  # system text, examples, history, question
    # ids of the entries or turns by section; note n is the nth of `offered`
    sections: Mapping[str, tuple[str, ...]]
    tokens: int  # estimated length


class TurnState(StrEnum):
    RUNNING = "running"
    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"
    CORRECTION = "correction"  # the message corrects the turn before
    UNDONE = "undone"  # answered with a clarification that was retracted
    DELETED = "deleted"  # without text, since an entry from it, or in its prompt, was erased


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with its understanding, answer, candidates, decisions, and what the user did next."""

    id: str
    conversation: str  # id
    person: str
    question: str  # in the user's words
    created: datetime = field(default_factory=utc_now)  # UTC
    model: str = ""  # name of the model that answered
    state: TurnState = TurnState.RUNNING
    reply: Reply = field(default_factory=lambda: Reply(raw=""))  # empty until it is complete
    decisions: tuple[Decision, ...] = ()  # one per candidate, most probable first
    used: tuple[str, ...] = ()  # ids of the entries that the answer is based on
    history: tuple[str, ...] = ()  # ids of the earlier turns in its prompt
    error: Sentence | None = None  # if the turn failed
    answers_again: str | None = None  # id of the earlier turn whose question it answers again
    clarified_with: str | None = None  # id of the clarification that it was answered again with
    left_out: tuple[str, ...] = ()  # ids of the entries that the user excluded
    chosen: str | None = None  # id of the note that the user chose for it
    corrected_by: str | None = None  # id of the user's clarification of it; of a `correction`, the saved entry
    confirmed: bool = False  # the user pressed *Right*
    ms: Mapping[str, float] = field(default_factory=lambda: NO_SCORES)  # milliseconds: first_token, model, total
    usage: Usage | None = None  # of the model, if known

    def use_of(self, decision: Decision) -> Use | None:
        """Return the role of the entry of a decision in the answer, None if the prompt was without it."""
        is_used = decision.entry.id in self.used
        if decision.action is Action.OFFER:
            if is_used:
                return Use.FOLLOWED
            return Use.DECLINED if self.state in {TurnState.ANSWERED, TurnState.UNDONE} else Use.OFFERED
        if decision.action is Action.SKIP or not (is_used or self.state is TurnState.RUNNING):
            return None
        if decision.entry.id == self.chosen:
            return Use.CHOSEN
        return Use.SPLICED if decision.action is Action.USE else Use.SHOWN

    def why(self, decision: Decision) -> str:
        """Return the model's reason for using an offered entry, if any."""
        offered = self.entries_to(Action.OFFER)
        number = offered.index(decision.entry.id) + 1 if decision.entry.id in offered else 0
        return self.reply.notes.get(number, "")

    def entries_to(self, action: Action) -> tuple[str, ...]:
        """Return the ids of the entries with an action."""
        return tuple(decision.entry.id for decision in self.decisions if decision.action is action)

    @property
    def from_memory(self) -> tuple[Decision, ...]:
        """Return the decisions on the entries that the answer is based on, so far."""
        return tuple(decision for decision in self.decisions if (use := self.use_of(decision)) and use.counts)


class Reaction(StrEnum):
    """A user's reaction to an answer or to one of its entries."""

    CONFIRM = "confirm"
    EXCLUDE = "exclude"
    USE = "use"
    EXCEPT = "except"
    PAUSE = "pause"
    RESUME = "resume"
