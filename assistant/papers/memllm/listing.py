"""The fact sheet as a table: which of a person's own triples are wanted, in which order, and a page of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from assistant.kinds import Triple
from assistant.types import Entry, Scope

_AT_ONCE = 1_000  # lines that are read at a time


class Order(StrEnum):
    """By what the lines are sorted."""

    SINCE = "since"
    SUBJECT = "subject"
    RELATION = "relation"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Lines:
    """Which lines are wanted, and how; what is empty asks for nothing."""

    search: str = ""  # contained in one of the names, in any script
    of: str = ""  # a thing: it stands on one side
    order: Order = Order.SINCE
    backwards: bool = False  # else by name from its beginning, and the newest first


@dataclass(frozen=True, slots=True)
class Line:
    """A triple with the fact that says it."""

    triple: Triple
    entry: Entry

    @property
    def name(self) -> str:
        """By which it is named: its fact, and its place among what that says."""
        triples = getattr(self.entry.body, "triples", ())
        return f"{self.entry.id}.{list(triples).index(self.triple)}"


@dataclass(frozen=True, slots=True)
class SheetPage:
    """A page of lines."""

    lines: Sequence[Line]
    total: int  # on all pages together


class Sheet(Protocol):
    """The triples of the person's own facts that count."""

    def lines(self, scope: Scope, wanted: Lines, limit: int = 50, offset: int = 0) -> SheetPage:
        """A page of them. Raises StoreError."""


def every_line(sheet: Sheet, scope: Scope, wanted: Lines | None = None) -> Iterator[Line]:
    """All lines that are wanted; without a word, all by their subjects."""
    first, total = 0, 1
    while first < total:
        page = sheet.lines(scope, wanted or Lines(order=Order.SUBJECT), _AT_ONCE, first)
        yield from page.lines
        first, total = first + _AT_ONCE, page.total
