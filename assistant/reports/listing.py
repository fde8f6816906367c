"""Filters and pages of lists of entries and conversations."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from assistant.types import Entry

LONGEST_TITLE = 200
"""Characters of the title of a conversation."""


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Conditions on entries; None allows all, and so does an empty text to search for."""

    search: str = ""  # contained in question, text or a key, in any script
    kind: str | None = None  # name of its kind
    turn: str | None = None  # id of the entry's turn; empty for entries without a turn
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
