"""What can be asked of the triples of facts, and what is found (MemLLM, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from assistant.kinds import Triple
from assistant.types import Entry, Scope

MOST_FOUND = 30
"""Triples that a query may find; of more, none is told (Q_thr of the paper, appendix D)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A relation with one side given and the other open, which is empty."""

    subject: str
    relation: str
    object: str

    def __post_init__(self) -> None:
        if not self.relation or bool(self.subject) == bool(self.object):
            raise ValueError(self)

    @property
    def entity(self) -> str:
        """The side that is given."""
        return self.subject or self.object


@dataclass(frozen=True, slots=True)
class Profile:
    """How near names have to be, as cosines: entities, relations, and the mean of the two (§3.1)."""

    entity: float
    relation: float
    mean: float


KNOW = Profile(0.7, 0.7, 0.85)
"""For what is known of the world (appendix D)."""
EDIT = Profile(0.85, 0.2, 0.6)
"""For what was said anew (appendix D): the very thing, asked for in whatever words."""
PAPER: Mapping[str, Profile] = MappingProxyType({"know": KNOW, "edit": EDIT})
"""The profiles of the paper, which `embedder fit` fits for another embedder than the bundled one."""

EDITED = Profile(0.85, 0.3, 0.65)
"""As `EDIT`, fitted for the bundled embedder where a question's own words stand in the place of the relation, so that
what asks something else of a thing finds less (`python -m evaluation run memllm`)."""
WORDS = Profile(0.85, 0.0, 0.5)
"""For the words of a question that something that is stored answers: the nearest counts (the same command)."""


class Outcome(StrEnum):
    """What became of a query."""

    FOUND = "found"
    NOTHING = "nothing"  # no stored fact tells this
    TOO_MANY = "too many"  # more than are of use
    TOO_WIDE = "too wide"  # of a kind that finds whatever there is (table 4 of the paper)


@dataclass(frozen=True, slots=True)
class Row:
    """A triple that was found, with the fact that says so."""

    triple: Triple
    entry: Entry
    likeness: float  # mean cosine of its entity and its relation to those of the query


@dataclass(frozen=True, slots=True)
class Found:
    """What a query finds, likeliest first; none but with `FOUND`."""

    outcome: Outcome
    rows: Sequence[Row] = ()


class FactSheet(Protocol):
    """The triples of the facts that count for a person: their own, then what is shared."""

    def has_any(self, scope: Scope) -> bool:
        """Whether there is anything to look into. Quick: every turn asks it. Says no rather than fail."""

    def read(self, query: Query, scope: Scope, conversation: str = "") -> Found:
        """What is known; facts that count in another conversation only, or are paused, are not. Raises StoreError."""
