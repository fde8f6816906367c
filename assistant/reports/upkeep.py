"""Results of maintenance, without user text: verification, erasure, import, backup."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

Progress = Callable[[str], None]
"""Shows a line on the progress of a long operation."""


def ignore_progress(_line: str) -> None:
    """Show no progress."""


@dataclass(frozen=True, slots=True)
class Damage:
    place: str  # kind of the damaged row or file: "entry", "turn", "event", …
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
    index: tuple[Damage, ...] = ()  # differences from the ledger
    index_is_right: bool = True  # after a rebuild, if necessary

    @property
    def is_right(self) -> bool:
        """Return True if nothing is damaged now."""
        return not self.ledger and self.index_is_right


@dataclass(frozen=True, slots=True)
class Receipt:
    """Result of an erasure."""

    id: str  # random
    at: datetime  # UTC
    # counts by kind: clarifications, examples, turns, tokens; `blanked`: turns whose text was erased; `emptied`:
    # entries and turns of which only derived fields were erased
    erased: Mapping[str, int]
    # True if no file has the erased bytes; else the data is gone from answers and lists, and the files are rewritten as
    # soon as possible, at the latest after the next start
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import so far."""

    new: Mapping[str, int]  # `entries`: number of added entries
    known: Mapping[str, int]  # `entries`: number of entries that were already there
    outdated: int = 0  # new entries kept as history, because there is already an entry for the same question
    counting: int = 0  # new active entries
    done: int = 0  # entries read
    of: int = 0  # total number of entries
    dropped: int = 0  # dropped triples of new facts whose sentences do not name the subject


@dataclass(frozen=True, slots=True)
class Backup:
    """Contents of a backup at its creation (UTC)."""

    created: datetime
    entries: int
    turns: int
