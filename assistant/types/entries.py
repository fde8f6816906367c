"""People, entries, and what is decided about entries that were found for a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from types import MappingProxyType

from assistant.errors import NoIdentity
from assistant.kinds import Content
from assistant.sentences import Sentence

NO_SCORES: Mapping[str, float] = MappingProxyType({})
LONGEST_PERSON = 200
SEED = "seed"
"""In place of a model's name: an entry that the host laid down for everyone."""

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
