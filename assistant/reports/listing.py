"""Filters and pages of lists of entries and conversations."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assistant.types import Entry

LONGEST_TITLE = 200
"""Characters of the title of a conversation."""


class Visibility(StrEnum):
    PRIVATE = "private"
    OFFERED = "offered"  # to everyone, undecided
    SHARED = "shared"  # everyone gets a copy


class Worth(StrEnum):
    NEVER_USED = "never_used"
    HURT = "hurt"  # excluded more often than it helped
    RESTS = "rests"  # paused


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Conditions on entries; an empty one or None allows all."""

    search: str = ""  # contained in question, text or a key, in any script
    kind: str | None = None  # name of its kind
    reach: Visibility | None = None
    worth: Worth | None = None
    turn: str = ""  # id of its turn
    among: Collection[str] | None = None  # ids
    start: str = ""  # of its id


@dataclass(frozen=True, slots=True)
class EntryPage:
    entries: Sequence[Entry]  # newest first
    total: int  # entries on all pages


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    id: str
    title: str  # by the user, else the first question
    named: bool  # True if the title is by the user
    last: datetime  # start of its last turn (UTC)
    found: str = ""  # in a search: the question of the newest turn that contains the text
