"""What is told of work on a whole memory: what was erased, and what was taken in. Numbers and times, never a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure erased.

    Args:
        id: random; says nothing of whom or what it was about.
        at: when (UTC).
        erased: kind of thing to how many of it: clarifications, examples, wordings, turns, mentions, events; and
            `emptied`, of which what derived from the erased was taken out, while the rest stays.
        is_complete: whether no file holds the bytes any more. Else they are out of every answer and list, and go from
            the files as soon as these can be written anew, at the latest after the next start.
    """

    id: str
    at: datetime
    erased: Mapping[str, int]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import took in: kind of line to how many were new, and to how many were there already.

    Args:
        new: entries, turns and events that were not there.
        known: those that were.
        outdated: of the new entries, those kept as history only, because a present one is about the same question.
        counting: of the new entries, those that count from now on; the others are history.
    """

    new: Mapping[str, int]
    known: Mapping[str, int]
    outdated: int = 0
    counting: int = 0


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds: so many entries and turns, as they were when it was made (UTC)."""

    created: datetime
    entries: int
    turns: int
