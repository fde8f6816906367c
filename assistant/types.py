"""The values that pass between the parts of Noted.

They are plain and frozen, and they know nothing of storage, models or pages: identity columns, sequence numbers of
tables, tokens and widgets live elsewhere. The words are those of the design: a *question* has an *understanding* and an
*answer*; what is remembered is an *entry*, found under its *keys*; a *turn* is one question with everything that
happened to it.
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
"""Says the time, with its zone. It may be wrong and may jump: it is only shown, and order never comes from it."""


def utc_now() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)


def day_of(moment: datetime, zone: tzinfo | None = None) -> date:
    """Return the day on which a moment falls in a time zone; None is that of this process (TZ).

    >>> day_of(datetime(2026, 1, 1, 23, tzinfo=UTC), ZoneInfo("Asia/Kolkata")).isoformat()
    '2026-01-02'
    """
    return moment.astimezone(zone).date()


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory may be read and written: one person's own, and, for reading, what is shared with everyone.

    Built from the server's identity only; of what a browser sends, only `zone` is taken. Raises NoIdentity unless
    `person`, a stable id, has 1 to 200 printable characters.
    """

    person: str
    address: str = field(default="", compare=False, repr=False)
    """For limits only: from which address of the network somebody asks of whom nothing else is known; else empty."""
    zone: tzinfo | None = field(default=None, compare=False, repr=False)
    """For days only: the person's time zone, as their browser says; None is that of this process."""

    def __post_init__(self) -> None:
        if not 0 < len(self.person) <= LONGEST_PERSON or not self.person.isprintable():
            raise NoIdentity

    def may_read(self, entry: Entry) -> bool:
        """Whether the entry is the person's own, or shared with everyone."""
        return entry.owner == self.person or entry.shared


class Status(StrEnum):
    """Whether an entry counts. Only `active` entries are ever recalled; an erased one has no row at all."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class KeyOrigin(StrEnum):
    """Who wrote a key: it is the question itself, a model wrote it, or a person added it.

    Keys that a rule derived are of earlier versions: nothing is found under them.
    """

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
    """An entry that is about to be remembered."""

    idempotency_key: str  # the same key saves the same entry once, however often it is sent
    turn: str = ""  # id of the turn it was given for. Empty where there was none.
    model: str = ""  # name of the model that had answered
    further_keys: tuple[Key, ...] = ()  # keys beside the question
    supersedes: str | None = None  # id of the entry that this one replaces
    wants_keys: bool = False  # a model is to write further keys for it later


@dataclass(frozen=True, slots=True)
class ReactionTo:
    """What became of an entry in a turn with this question: it `helped` (the answer was right), or was left out."""

    question: str
    helped: bool


@dataclass(frozen=True, slots=True)
class Entry(Content):
    """One thing remembered.

    Beside what it says it has a stable id, an owner, a place in the order of all changes (`sequence`; order
    never comes from a clock), the time it was saved (UTC), and counters that are sums over events: how often it was
    used, and how often the person then said that the answer was right or that the entry should have been left out.
    `resting`, `not_for` and `reactions` (newest first) are those of the person who reads it, never anybody else's; a
    list of entries goes without the last. What is shared with everyone has no owner.
    """

    id: str
    owner: str
    shared: bool
    status: Status
    sequence: int
    created: datetime
    keys: tuple[Key, ...]
    turn: str = ""
    model: str = ""
    supersedes: str | None = None
    used: int = 0
    helped: int = 0
    hurt: int = 0
    declined: int = 0  # how often a lesson stood among the notes of an answer that does not rest on it
    resting: bool = False  # the person paused it, until they resume it
    not_for: tuple[str, ...] = ()  # questions that were asked in ways for which the person does not want it
    reactions: tuple[ReactionTo, ...] = ()

    @property
    def seeded(self) -> bool:
        """Whether it was laid down by the host for everyone, and is nobody's to change."""
        return self.shared and self.model == SEED

    def counts_in(self, conversation: str) -> bool:
        """Whether it may be used for a question of a conversation."""
        return self.only_in in {"", conversation}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that recall found for a question."""

    entry: Entry  # the entry
    key: Key  # the key of it that is nearest to the question
    # feature name to value, in [0, 1] unless it says otherwise; one that cannot be computed is absent
    scores: Mapping[str, float] = field(default_factory=lambda: NO_SCORES)


class Action(StrEnum):
    """What becomes of a candidate: next to the question, among notes to choose from, among the examples, or nothing."""

    USE = "use"
    OFFER = "offer"
    SHOW = "show"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class Decision:
    """The gate's word on one candidate: what to do, how probably it applies (0 to 1), and why, for people."""

    candidate: Candidate
    action: Action
    probability: float
    reason: Sentence

    @property
    def entry(self) -> Entry:
        """The entry that is decided about."""
        return self.candidate.entry


class Use(StrEnum):
    """What an answer made of an entry that stood in its prompt."""

    SPLICED = "spliced"  # it stood next to the question
    CHOSEN = "chosen"  # it did because the person chose it
    OFFERED = "offered"  # it stood among the notes, and the reply has not said anything of it yet
    FOLLOWED = "followed"  # it stood among the notes, and the reply says that it goes by it
    DECLINED = "declined"  # it stood among the notes, and the reply does not say so
    SHOWN = "shown"  # it stood among the examples

    @property
    def counts(self) -> bool:
        """Whether the answer rests on the entry."""
        return self not in {Use.OFFERED, Use.DECLINED}


@dataclass(frozen=True, slots=True)
class Question:
    """A question at its moment: what recall, and whoever shows examples, may go by."""

    text: str
    conversation: str = ""  # id of the conversation in which it is asked
    earlier: tuple[Turn, ...] = ()  # the turns before it, oldest first
    left_out: tuple[str, ...] = ()  # ids of the entries that the person does not want for it


class Corrects(Enum):
    """Whether a message puts the turn before right, as far as its words tell."""

    NO = auto()
    MAYBE = auto()
    CERTAINLY = auto()


class Role(StrEnum):
    """Who speaks in a message of a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str
    ends_stable: bool = False  # up to here, every prompt for the same model begins alike
    grammar: str = ""  # in GBNF, of the reply to it; a model that runs in the process keeps to it


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked, and what stands in it."""

    messages: tuple[Message, ...]  # system text, examples, history and the question, in this order
    # name of a section to the ids of the entries or turns in it; note number n is the nth of those `offered`
    sections: Mapping[str, tuple[str, ...]]
    tokens: int  # estimated length


class TurnState(StrEnum):
    """Where a turn stands.

    `correction` is a message that was no question but put the turn before right; `undone` is an answer that was made
    with a clarification that was taken back.
    """

    RUNNING = "running"
    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"
    CORRECTION = "correction"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with its understanding, its answer, the candidates and decisions, and what the person did next."""

    id: str  # stable id
    conversation: str  # id of the conversation it belongs to
    person: str  # whose turn it is
    question: str  # as the person wrote it
    created: datetime = field(default_factory=utc_now)  # when it began (UTC)
    model: str = ""  # name of the model that answered
    state: TurnState = TurnState.RUNNING  # where it stands
    reply: Reply = field(default_factory=lambda: Reply(raw=""))  # the reply; empty until it is finished
    decisions: tuple[Decision, ...] = ()  # one per candidate, likeliest first
    used: tuple[str, ...] = ()  # ids of the entries that the answer rests on, the model's own choice included
    history: tuple[str, ...] = ()  # ids of the earlier turns that stood in its prompt
    error: Sentence | None = None  # where the turn failed
    answers_again: str | None = None  # id of the earlier turn whose question this one answers again
    clarified_with: str | None = None  # id of the clarification that it was answered again with, where there is one
    left_out: tuple[str, ...] = ()  # ids of the entries that the person had left out of it
    chosen: str | None = None  # id of the note that the person had used in it, where the model had not chosen it
    # id of the clarification that the person gave for this turn; of a `correction`, what it became
    corrected_by: str | None = None
    confirmed: bool = False  # the person said "Yes, that's it"
    # part of the turn to milliseconds: recall, gate, prompt, first_token, model, total
    ms: Mapping[str, float] = field(default_factory=lambda: NO_SCORES)
    usage: Usage | None = None  # what it took of the model, where that is known

    def use_of(self, decision: Decision) -> Use | None:
        """What the answer made of the entry that was decided about, as far as that is known; None where it was left."""
        return use_of(decision.action, decision.entry.id, self.state, self.used, self.chosen)

    def why(self, decision: Decision) -> str:
        """The model's word for why it went by an offered entry; empty where there is none."""
        offered = self.entries_to(Action.OFFER)
        number = offered.index(decision.entry.id) + 1 if decision.entry.id in offered else 0
        return self.reply.notes.get(number, "")

    def entries_to(self, action: Action) -> tuple[str, ...]:
        """The ids of the entries for which an action is decided."""
        return tuple(decision.entry.id for decision in self.decisions if decision.action is action)

    @property
    def from_memory(self) -> tuple[Decision, ...]:
        """The decisions about what the answer rests on; while it is written, as far as that is known."""
        return tuple(decision for decision in self.decisions if (use := self.use_of(decision)) and use.counts)


def use_of(action: Action, entry_id: str, state: TurnState, used: Collection[str], chosen: str | None) -> Use | None:
    """What an answer made of an entry, from the fields of its turn; None where it did not stand in the prompt."""
    is_used = entry_id in used
    if action is Action.OFFER:
        if is_used:
            return Use.FOLLOWED
        return Use.DECLINED if state in {TurnState.ANSWERED, TurnState.UNDONE} else Use.OFFERED
    if action is Action.LEAVE or not (is_used or state is TurnState.RUNNING):
        return None
    return Use.CHOSEN if entry_id == chosen else Use.SPLICED if action is Action.USE else Use.SHOWN


class Reaction(StrEnum):
    """What a person does with an answer, or with one entry that was found for it.

    They say that it is right, or have it given again without or with an entry. And they keep the entry from being used
    for questions that are asked in this way, or from all; and let it be used again.
    """

    CONFIRM = "confirm"
    LEAVE_OUT = "leave out"
    USE = "use"
    EXCEPT = "not for questions like this"
    PAUSE = "not at all"
    RESUME = "resume"
