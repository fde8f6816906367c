"""What looking after the memory reports: values that the store makes and the doors print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[str], None]
"""Is told, in a plain line now and then, how far something is that takes long."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not as it must be.

    Args:
        place: what it belongs to: "entry", "turn", "event", …
        id: which one.
        trouble: what is wrong with it, in plain words that hold nothing that anybody wrote.
    """

    place: str
    id: str
    trouble: str

    def __str__(self) -> str:
        name = self.id if self.id.isprintable() else ascii(self.id)  # a damaged id may be anything
        return f"{self.place} {name}: {self.trouble}" if name else f"{self.place}: {self.trouble}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What `memory verify` found.

    Args:
        entries: how many entries there are.
        ledger: what is damaged in the ledger.
        index: what in the index was not as the ledger says.
        index_is_right: whether the index, rebuilt where it had to be, is now as the ledger says.
    """

    entries: int
    ledger: tuple[Damage, ...]
    index: tuple[Damage, ...] = ()
    index_is_right: bool = True

    @property
    def is_right(self) -> bool:
        """Whether everything is as it must be by now."""
        return not self.ledger and self.index_is_right
