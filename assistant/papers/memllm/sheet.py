"""The fact sheet (MemLLM, section 3.1): a memory of triples, and its queries.

1. A query gives one side of a relation and leaves the other open (`Query`).
2. Candidates are names whose cosine passes a threshold; a triple is found where the mean of its two does (`Profile`).
3. More than 30 triples are of no use to a model, and none of them is given to it (`MOST_FOUND`, appendix D).
4. Its user reads it line by line (`Lines`).

`memory_store/sheet` stores and searches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from assistant.kinds import Fact, Triple
from assistant.types import Entry, Scope

MOST_FOUND = 30
"""Triples that a query may find; of more, none is returned (Q_thr of the paper, appendix D)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A relation with one side given and the other open, which is empty."""

    subject: str
    relation: str
    object: str

    @property
    def entity(self) -> str:
        """Return the side that is given."""
        return self.subject or self.object


@dataclass(frozen=True, slots=True)
class Profile:
    """The least cosines of names: entities (τ_e), relations (τ_t), and the mean of the two (τ_r of section 3.1)."""

    entity: float
    relation: float
    mean: float


KNOW = Profile(0.7, 0.7, 0.85)
"""For knowledge of the world (appendix D)."""
EDIT = Profile(0.85, 0.2, 0.6)
"""For edits (appendix D): the very thing, asked for in other words."""


class Outcome(StrEnum):
    """The result of a query."""

    FOUND = "found"
    NOTHING = "nothing"  # no stored fact tells this
    TOO_MANY = "too many"  # more than are of use
    TOO_WIDE = "too wide"  # of a kind that finds whatever there is (table 4 of the paper)


@dataclass(frozen=True, slots=True)
class Line:
    """A triple of the sheet, with the fact that says it."""

    triple: Triple
    entry: Entry
    likeness: float = 1.0  # mean cosine of its entity and its relation to those of the query

    @property
    def name(self) -> str:
        """Return the name of the line: the id of its fact, and its place among the triples of that."""
        return f"{self.entry.id}.{triples_of(self.entry).index(self.triple)}"


def triples_of(entry: Entry) -> tuple[Triple, ...]:
    """Return the triples of a fact that is not denied."""
    body = entry.body
    return body.triples if isinstance(body, Fact) and not body.denied else ()


@dataclass(frozen=True, slots=True)
class Found:
    """The triples that a query finds, likeliest first; none but with `FOUND`."""

    outcome: Outcome
    rows: Sequence[Line] = ()


class Order(StrEnum):
    """The order of lines."""

    SINCE = "since"
    SUBJECT = "subject"
    RELATION = "relation"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Lines:
    """A filter of lines; an empty field filters nothing."""

    search: str = ""  # contained in one of the names, in any script
    of: str = ""  # a name on one side
    order: Order = Order.SINCE
    backwards: bool = False  # else by name from its beginning, and the newest first


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the lines that a filter lets pass."""

    lines: Sequence[Line]
    total: int  # on all pages together


class FactSheet(Protocol):
    """The triples of the active facts of a user. Raises StoreError."""

    def has_any(self, scope: Scope) -> bool:
        """Return True if there is anything to look up. Quick: every turn asks it. Returns False rather than fail."""

    def read(self, query: Query, scope: Scope, conversation: str = "") -> Found:
        """Answer a query of own and shared facts, without those paused or for another conversation only."""

    def lines(self, scope: Scope, wanted: Lines, limit: int | None = None, offset: int = 0) -> Page:
        """Return the user's own lines, or a page of them."""
