"""What work on a whole memory tells: what was erased, taken in, backed up or found damaged. Never a text of anybody."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

Progress = Callable[[str], None]
"""Is told, in a plain line now and then, how far something is that takes long."""


def tell_nobody(_line: str) -> None:
    """The `Progress` of whoever wants to hear nothing."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not as it must be."""

    place: str  # what it belongs to: "entry", "turn", "event", …
    id: str  # which one
    trouble: str  # what is wrong with it, in plain words that hold nothing that anybody wrote

    def __str__(self) -> str:
        name = self.id if self.id.isprintable() else ascii(self.id)  # a damaged id may be anything
        return f"{self.place} {name}: {self.trouble}" if name else f"{self.place}: {self.trouble}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What `memory verify` found."""

    entries: int  # how many entries there are
    ledger: tuple[Damage, ...]  # what is damaged in the ledger
    index: tuple[Damage, ...] = ()  # what in the index was not as the ledger says
    index_is_right: bool = True  # whether the index, rebuilt where it had to be, is now as the ledger says

    @property
    def is_right(self) -> bool:
        """Whether everything is as it must be by now."""
        return not self.ledger and self.index_is_right


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure erased."""

    id: str  # random; says nothing of whom or what it was about
    at: datetime  # when (UTC)
    # kind of thing to how many of it: clarifications, examples, wordings, turns, mentions, events; and
    # `emptied`, of which what derived from the erased was taken out, while the rest stays
    erased: Mapping[str, int]
    # whether no file holds the bytes any more. Else they are out of every answer and list, and go from the
    # files as soon as these can be written anew, at the latest after the next start.
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import took in by now: kind of line to how many were new, and to how many were there already."""

    new: Mapping[str, int]  # entries, turns and events that were not there
    known: Mapping[str, int]  # those that were
    # of the new entries, those kept as history only, because a present one is about the same question
    outdated: int = 0
    counting: int = 0  # of the new entries, those that count from now on; the others are history
    done: int = 0  # lines that were looked at by now
    of: int = 0  # lines that there are
    dropped: int = 0  # triples of new facts that were left out: their sentences do not name what they are about


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds: so many entries and turns, as they were when it was made (UTC)."""

    created: datetime
    entries: int
    turns: int
