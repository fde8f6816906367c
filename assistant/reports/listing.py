"""Lists: which of a person's own entries are wanted, a page of them, and a line of the list of conversations."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assistant.types import Entry

LONGEST_TITLE = 200
"""Characters of the name that a person may give to a conversation."""


class Visibility(StrEnum):
    """For whom an entry counts: its owner alone, soon perhaps everyone, or everyone by a copy of it."""

    PRIVATE = "private"
    OFFERED = "offered"
    SHARED = "shared"


class Script(StrEnum):
    """A script in which the question or what was said is written; `other` where it is none of the rest."""

    LATIN = "latin"
    DEVANAGARI = "devanagari"
    GURMUKHI = "gurmukhi"
    OTHER = "other"


class Worth(StrEnum):
    """What came of an entry: never used, left out more often than it helped, or so often that it rests."""

    NEVER_USED = "never_used"
    HURT = "hurt"
    RESTS = "rests"


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """What an entry must be; what is empty or None asks for nothing."""

    search: str = ""  # contained in the question, in what was said, or in a wording, in any script
    kind: str | None = None  # what it is, by the name of its kind
    reach: Visibility | None = None  # for whom it counts
    script: Script | None = None  # what it is written in
    worth: Worth | None = None  # what came of it
    turn: str = ""  # id of the turn that it was given for
    among: Collection[str] | None = None  # ids, of which it has one


@dataclass(frozen=True, slots=True)
class EntryPage:
    """A page of what was found."""

    entries: Sequence[Entry]  # newest first
    total: int  # how many there are on all pages together


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One conversation in a list."""

    id: str  # id of the conversation
    title: str  # the name that the person gave it, else its first question
    named: bool  # whether the person gave it the name
    last: datetime  # when its last turn began (UTC)
    found: str = ""  # where it was searched for and stands in a turn: the question of the newest such turn
