"""Which entries of a person's own are wanted, and what was found. Plain values; the store answers with SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.types import Entry, Kind


class Reach(StrEnum):
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
class Wanted:
    """What an entry must be; what is empty or None asks for nothing.

    Args:
        search: contained in the question, in what was said, or in a wording, in any script.
        kind: what it is.
        reach: for whom it counts.
        script: what it is written in.
        worth: what came of it.
    """

    search: str = ""
    kind: Kind | None = None
    reach: Reach | None = None
    script: Script | None = None
    worth: Worth | None = None


ANY = Wanted()


@dataclass(frozen=True, slots=True)
class Found:
    """A page of what was found.

    Args:
        entries: newest first.
        total: how many there are on all pages together.
    """

    entries: Sequence[Entry]
    total: int
