"""Results of maintenance: verification, erasure, import, backup. They hold no text of anybody."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

Progress = Callable[[str], None]
"""Show a line on the progress of something that takes long."""


def tell_nobody(_line: str) -> None:
    """Show no progress."""


@dataclass(frozen=True, slots=True)
class Damage:
    place: str  # kind of the damaged thing: "entry", "turn", "event", …
    id: str
    trouble: str  # in plain words, without any stored text

    def __str__(self) -> str:
        name = self.id if self.id.isprintable() else ascii(self.id)  # a damaged id may be anything
        return f"{self.place} {name}: {self.trouble}" if name else f"{self.place}: {self.trouble}"


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of `noted verify`."""

    entries: int
    ledger: tuple[Damage, ...]
    index: tuple[Damage, ...] = ()  # what differed from the ledger
    index_is_right: bool = True  # after it was rebuilt where necessary

    @property
    def is_right(self) -> bool:
        """Return True if nothing is damaged by now."""
        return not self.ledger and self.index_is_right


@dataclass(frozen=True, slots=True)
class Receipt:
    """Result of an erasure."""

    id: str  # random
    at: datetime  # UTC
    # number by kind of thing: clarifications, examples, wordings, turns, mentions, events; `blanked` turns, which lost
    # all text; and `emptied`, which lost what derived from the erased, while the rest stays
    erased: Mapping[str, int]
    # True if the bytes are gone from all files; else from every answer and list, and from the files as soon as these
    # can be rewritten, at the latest after the next start
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import so far: numbers by kind of line."""

    new: Mapping[str, int]  # entries, turns and events that were added
    known: Mapping[str, int]  # those that were present already
    outdated: int = 0  # new entries kept as history only, because a present one is about the same question
    counting: int = 0  # new entries that are active; the others are history
    done: int = 0  # lines read
    of: int = 0  # lines in all
    dropped: int = 0  # triples of new facts left out: their sentences do not name the subject


@dataclass(frozen=True, slots=True)
class Backup:
    """Contents of a backup, as they were when it was made (UTC)."""

    created: datetime
    entries: int
    turns: int
