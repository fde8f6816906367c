"""The values that pass between the parts of Noted: plain, frozen, and independent of storage, models and pages.

A *question* has an *understanding* and an *answer*; an *entry* is one thing stored, found under its *keys*; a *turn* is
one question with everything that happened to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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
"""In place of a model's name: an entry that the host laid down for everyone."""
PRACTISED = "practice-"
"""How the ids of conversations begin that a practice asked in, and not its person."""

Clock = Callable[[], datetime]
"""Return the time with its zone. It may jump: it is shown only, and never orders anything."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def day_of(moment: datetime, zone: tzinfo | None = None) -> date:
    """Return the day of a moment in a time zone; None is that of this process (TZ).

    >>> day_of(datetime(2026, 1, 1, 23, tzinfo=UTC), ZoneInfo("Asia/Kolkata")).isoformat()
    '2026-01-02'
    """
    return moment.astimezone(zone).date()


@dataclass(frozen=True, slots=True)
class Scope:
    """A user: the entries that may be read and written are their own, and those shared with everyone for reading.

    Built from the server's identity only; of what a browser sends, only `zone` is taken. Raises NoIdentity unless
    `person`, a stable id, has 1 to 200 printable characters.
    """

    person: str
    address: str = field(default="", compare=False, repr=False)  # for limits: of a visitor without an account
    zone: tzinfo | None = field(default=None, compare=False, repr=False)  # for days; None is that of this process

    def __post_init__(self) -> None:
        if not 0 < len(self.person) <= LONGEST_PERSON or not self.person.isprintable():
            raise NoIdentity

    def may_read(self, entry: Entry) -> bool:
        """Return True if the entry is the user's own, or shared with everyone."""
        return entry.owner == self.person or entry.shared


class Status(StrEnum):
    """State of an entry. Only `active` ones are retrieved; an erased one has no row at all."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class KeyOrigin(StrEnum):
    """Author of a key. Nothing is found under `rule` keys, which earlier versions derived."""

    QUESTION = "question"
    RULE = "rule"
    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Key:
    """A text under which an entry can be found."""

    text: str
    origin: KeyOrigin = KeyOrigin.QUESTION


@dataclass(frozen=True, slots=True)
class Draft(Content):
    """An entry to be saved."""

    idempotency_key: str  # the same key saves the same entry once
    turn: str = ""  # id of the turn it was given for, if any
    model: str = ""  # name of the model that had answered
    further_keys: tuple[Key, ...] = ()  # beside the question
    supersedes: str | None = None  # id of the entry that it replaces
    wants_keys: bool = False  # a model is to write further keys for it later


@dataclass(frozen=True, slots=True)
class ReactionTo:
    """Feedback on an entry for a question: it `helped` (the answer was confirmed), or was left out."""

    question: str
    helped: bool


@dataclass(frozen=True, slots=True)
class Entry(Content):
    """One thing stored.

    `resting`, `not_for` and `reactions` (newest first) are those of the user who reads it; lists of entries have no
    `reactions`. An entry that is shared with everyone has no owner.
    """

    id: str
    owner: str
    shared: bool
    status: Status
    sequence: int  # place in the order of all changes, which never comes from a clock
    created: datetime  # UTC
    keys: tuple[Key, ...]
    turn: str = ""
    model: str = ""
    supersedes: str | None = None
    used: int = 0
    helped: int = 0  # uses after which the user confirmed the answer
    hurt: int = 0  # uses after which they left it out
    declined: int = 0  # answers that a lesson was offered to and that do not use it
    resting: bool = False  # paused by the user
    not_for: tuple[str, ...] = ()  # questions like these are not answered with it
    reactions: tuple[ReactionTo, ...] = ()

    @property
    def seeded(self) -> bool:
        """Return True if it came with the host's seed file; nobody can change it."""
        return self.shared and self.model == SEED

    def counts_in(self, conversation: str) -> bool:
        """Return True if it applies in a conversation."""
        return self.only_in in {"", conversation}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that a retriever found for a question."""

    entry: Entry
    key: Key  # the one nearest to the question
    # features by name, mostly in [0, 1]; one that cannot be computed is absent
    scores: Mapping[str, float] = field(default_factory=lambda: NO_SCORES)


class Action(StrEnum):
    USE = "use"  # beside the question
    OFFER = "offer"  # among the notes that the model chooses from
    SHOW = "show"  # among the examples
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one candidate."""

    candidate: Candidate
    action: Action
    probability: float  # that it applies, 0 to 1
    reason: Sentence  # for users

    @property
    def entry(self) -> Entry:
        return self.candidate.entry


class Use(StrEnum):
    """How an answer used an entry of its prompt."""

    SPLICED = "spliced"  # beside the question
    CHOSEN = "chosen"  # beside the question, by the user's choice
    OFFERED = "offered"  # among the notes; the reply has not named it yet
    FOLLOWED = "followed"  # among the notes, and named by the reply
    DECLINED = "declined"  # among the notes, and not named
    SHOWN = "shown"  # among the examples

    @property
    def counts(self) -> bool:
        """Return True if the answer is based on the entry."""
        return self not in {Use.OFFERED, Use.DECLINED}


@dataclass(frozen=True, slots=True)
class Question:
    """A question as retrievers and the example selector get it."""

    text: str
    conversation: str = ""  # id
    earlier: tuple[Turn, ...] = ()  # oldest first
    left_out: tuple[str, ...] = ()  # ids of the entries that the user does not want for it


class Corrects(Enum):
    """Judgement from its words on whether a message corrects the turn before."""

    NO = auto()
    MAYBE = auto()
    CERTAINLY = auto()


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str
    ends_stable: bool = False  # up to here, all prompts for the same model are equal
    grammar: str = ""  # of the reply, in GBNF, for a model in this process


@dataclass(frozen=True, slots=True)
class Prompt:
    messages: tuple[Message, ...]  # system text, examples, history and the question, in this order
    # ids of the entries or turns by section; note number n is the nth of those `offered`
    sections: Mapping[str, tuple[str, ...]]
    tokens: int  # estimated length


class TurnState(StrEnum):
    RUNNING = "running"
    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"
    CORRECTION = "correction"  # the message corrects the turn before
    UNDONE = "undone"  # answered with a clarification that was retracted
    DELETED = "deleted"  # it has no text any more: an entry that it gave, or that was in its prompt, was erased


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with its understanding, answer, candidates, decisions, and what the user did next."""

    id: str
    conversation: str  # id
    person: str
    question: str  # as the user wrote it
    created: datetime = field(default_factory=utc_now)  # UTC
    model: str = ""  # name of the model that answered
    state: TurnState = TurnState.RUNNING
    reply: Reply = field(default_factory=lambda: Reply(raw=""))  # empty until it is complete
    decisions: tuple[Decision, ...] = ()  # one per candidate, likeliest first
    used: tuple[str, ...] = ()  # ids of the entries that the answer is based on
    history: tuple[str, ...] = ()  # ids of the earlier turns in its prompt
    error: Sentence | None = None  # where the turn failed
    answers_again: str | None = None  # id of the earlier turn whose question it answers again
    clarified_with: str | None = None  # id of the clarification that it was answered again with
    left_out: tuple[str, ...] = ()  # ids of the entries that the user left out of it
    chosen: str | None = None  # id of the note that the user chose for it
    corrected_by: str | None = None  # id of the user's clarification of it; of a `correction`, what it became
    confirmed: bool = False  # the user said "Yes, that's it"
    # milliseconds by part of the turn: recall, gate, prompt, first_token, model, total
    ms: Mapping[str, float] = field(default_factory=lambda: NO_SCORES)
    usage: Usage | None = None  # of the model, where known

    def use_of(self, decision: Decision) -> Use | None:
        """Return how the answer used the entry of a decision; None where it did not."""
        return use_of(decision.action, decision.entry.id, self.state, self.used, self.chosen)

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
        """Return the decisions on the entries that the answer is based on, as far as known."""
        return tuple(decision for decision in self.decisions if (use := self.use_of(decision)) and use.counts)


def use_of(action: Action, entry_id: str, state: TurnState, used: Collection[str], chosen: str | None) -> Use | None:
    """Return how an answer used an entry, from the fields of its turn; None where the prompt was without it."""
    is_used = entry_id in used
    if action is Action.OFFER:
        if is_used:
            return Use.FOLLOWED
        return Use.DECLINED if state in {TurnState.ANSWERED, TurnState.UNDONE} else Use.OFFERED
    if action is Action.SKIP or not (is_used or state is TurnState.RUNNING):
        return None
    return Use.CHOSEN if entry_id == chosen else Use.SPLICED if action is Action.USE else Use.SHOWN


class Reaction(StrEnum):
    """A user's reaction to an answer or to one entry that was found for it."""

    CONFIRM = "confirm"
    EXCLUDE = "exclude"
    USE = "use"
    EXCEPT = "except"
    PAUSE = "pause"
    RESUME = "resume"
