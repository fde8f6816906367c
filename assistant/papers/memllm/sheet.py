"""The fact sheet (MemLLM, section 3.1): a memory of triples, what can be asked of it, and its lines as a table.

1. A query gives one side of a relation and leaves the other open (`Query`).
2. Candidates are names whose cosine passes a threshold; a triple is found where the mean of its two does (`Profile`).
3. More than 30 triples are of no use to a model, and none of them is told (`MOST_FOUND`, appendix D).
4. Its user reads it line by line (`Sheet`), and takes it along or brings it in as a file.

`memory_store/sheet` stores and searches it.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from assistant.errors import InputError
from assistant.kinds import Triple
from assistant.text.tables import read_table
from assistant.types import Entry, Scope

MOST_FOUND = 30
"""Triples that a query may find; of more, none is told (Q_thr of the paper, appendix D)."""
COLUMNS = ("subject", "relation", "object", "since", "from")
_NAMES = 3  # columns that say something
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""With these a cell begins that a spreadsheet would work out."""
_TEXT = "'"
_AT_ONCE = 1_000  # lines that are read at a time


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
        """Return the side that is given."""
        return self.subject or self.object


@dataclass(frozen=True, slots=True)
class Profile:
    """The least cosines of names: entities (τ_e), relations (τ_t), and the mean of the two (τ_r of section 3.1)."""

    entity: float
    relation: float
    mean: float


KNOW = Profile(0.7, 0.7, 0.85)
"""For what is known of the world (appendix D)."""
EDIT = Profile(0.85, 0.2, 0.6)
"""For edits (appendix D): the very thing, asked for in other words."""

EDITED = Profile(0.85, 0.3, 0.65)
"""As `EDIT`, fitted for the bundled embedder where a question's own words stand in the place of the relation, so that
what asks something else of a thing finds less (`python -m evaluation run memllm`)."""
WORDS = Profile(0.85, 0.0, 0.5)
"""For the words of a question that a stored triple answers: the nearest counts (the same command)."""


class Outcome(StrEnum):
    """The result of a query."""

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
    """The triples that a query finds, likeliest first; none but with `FOUND`."""

    outcome: Outcome
    rows: Sequence[Row] = ()


class FactSheet(Protocol):
    """The triples of the facts that count for a user: their own, then shared ones."""

    def has_any(self, scope: Scope) -> bool:
        """Return True if there is anything to look up. Quick: every turn asks it. Returns False rather than fail."""

    def read(self, query: Query, scope: Scope, conversation: str = "") -> Found:
        """Answer a query, without facts that are paused or count in another conversation only. Raises StoreError."""


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
class Line:
    """A triple with the fact that says it."""

    triple: Triple
    entry: Entry

    @property
    def name(self) -> str:
        """Return the name of the line: the id of its fact, and its place among the triples of that."""
        triples = getattr(self.entry.body, "triples", ())
        return f"{self.entry.id}.{list(triples).index(self.triple)}"


@dataclass(frozen=True, slots=True)
class SheetPage:
    """A page of lines."""

    lines: Sequence[Line]
    total: int  # on all pages together


class Sheet(Protocol):
    """The triples of the user's own active facts."""

    def lines(self, scope: Scope, wanted: Lines, limit: int = 50, offset: int = 0) -> SheetPage:
        """Return a page of lines. Raises StoreError."""


def every_line(sheet: Sheet, scope: Scope, wanted: Lines | None = None) -> Iterator[Line]:
    """Yield all lines of a filter; without one, all by their subjects."""
    first, total = 0, 1
    while first < total:
        page = sheet.lines(scope, wanted or Lines(order=Order.SUBJECT), _AT_ONCE, first)
        yield from page.lines
        first, total = first + _AT_ONCE, page.total


def as_csv(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the lines of a CSV file; no cell of it is a formula."""
    for row in (COLUMNS, *map(_row, lines)):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow([_TEXT + cell if _is_formula(cell) else cell for cell in row])
        yield out.getvalue()


def as_json(lines: Iterable[Line]) -> str:
    """Return the lines as a JSON list of objects."""
    rows = [dict(zip(COLUMNS, _row(line), strict=True)) for line in lines]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def from_csv(text: str, header: bool | None = None) -> list[Triple]:
    """Return what all rows of a file say; `header` says whether the first one is its header.

    Further columns than three say nothing. Raises HeaderUnclear if `header` is None and cannot be told, and InputError:
    a line is no triple, with its number.
    """
    told: list[Triple] = []
    for row in read_table(text, COLUMNS[:_NAMES], header=header, may_have_more=True):
        cells = [_read_cell(cell) for cell in row.cells[:_NAMES]]
        if len(cells) < _NAMES or not all(cells):
            raise InputError("sheet.too_few", number=row.number)
        triple = Triple.read(" | ".join(cells))
        if triple is None:
            raise InputError("sheet.bad_names", number=row.number)
        told.append(triple)
    return told


def _read_cell(written: str) -> str:
    return written[1:] if written.startswith(_TEXT) and _is_formula(written) else written


def _is_formula(cell: str) -> bool:
    return cell.lstrip(_TEXT).startswith(_FORMULA)


def _row(line: Line) -> tuple[str, ...]:
    triple = line.triple
    since = line.entry.created.isoformat(timespec="seconds")
    return triple.subject, triple.relation, triple.object, since, line.entry.shown
