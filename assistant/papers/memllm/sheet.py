"""The fact sheet (MemLLM, section 3.1): a memory of triples, and its queries.

1. A query gives one side of a relation and leaves the other open (`Query`).
2. Candidates are names whose cosine passes a threshold; a triple is found if the mean of its two does (`Profile`).
3. More than 30 triples do not help a model, so it gets none of them (`MOST_FOUND`, appendix D).
4. The user reads it line by line (`Lines`).


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
"""Triples that a query may find; if there are more, it returns none (Q_thr of the paper, appendix D)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A relation with one side given, and the other one open (empty)."""

    subject: str
    relation: str
    object: str

    @property
    def entity(self) -> str:
        """Return the side that is given."""
        return self.subject or self.object


@dataclass(frozen=True, slots=True)
class Profile:
    """Cosine thresholds: entities (τ_e), relations (τ_t), and the mean of the two (τ_r of section 3.1)."""

    entity: float
    relation: float
    mean: float


KNOW = Profile(0.7, 0.7, 0.85)
"""For knowledge of the world (appendix D)."""
EDIT = Profile(0.85, 0.2, 0.6)
"""For edits (appendix D): the same entity, with a paraphrased relation."""


class LookupOutcome(StrEnum):
    FOUND = "found"
    NOTHING = "nothing"
    TOO_MANY = "too many"  # more than `MOST_FOUND`
    TOO_WIDE = "too wide"  # a relation that matches nearly everything (table 4 of the paper)


@dataclass(frozen=True, slots=True)
class Line:
    triple: Triple
    entry: Entry
    likeness: float = 1.0  # mean cosine of its entity and relation with those of the query

    @property
    def name(self) -> str:
        """Return the name of the line: the id of its fact, and its index among the triples of that."""
        return f"{self.entry.id}.{triples_of(self.entry).index(self.triple)}"


def triples_of(entry: Entry) -> tuple[Triple, ...]:
    """Return the triples of a fact, none if it is denied."""
    body = entry.body
    return body.triples if isinstance(body, Fact) and not body.denied else ()


@dataclass(frozen=True, slots=True)
class LookupResult:
    """Result of a query: the outcome, and with `FOUND` its triples, most similar first."""

    outcome: LookupOutcome
    rows: Sequence[Line] = ()


class Order(StrEnum):
    SINCE = "since"
    SUBJECT = "subject"
    RELATION = "relation"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Lines:
    """A filter for lines; empty fields match all."""

    search: str = ""  # substring of a name, in any script
    of: str = ""  # a name on one side
    order: Order = Order.SINCE
    backwards: bool = False  # reverses the default order (A to Z, newest first)


@dataclass(frozen=True, slots=True)
class SheetPage:
    """One page of filtered lines."""

    lines: Sequence[Line]
    total: int  # on all pages


class FactSheet(Protocol):
    """Triples of the active facts of a user. Raises StoreError."""

    def has_any(self, scope: Scope) -> bool:
        """Return True if the user can look up any triple. Called in every turn: fast, and False on errors."""

    def read(self, query: Query, scope: Scope, conversation: str = "") -> LookupResult:
        """Answer a query from own and shared facts, except paused ones and those of other conversations."""

    def lines(self, scope: Scope, wanted: Lines, limit: int | None = None, offset: int = 0) -> SheetPage:
        """Return the user's own lines, or one page of them."""
