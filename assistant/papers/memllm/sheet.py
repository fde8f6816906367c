"""The fact sheet: a memory of triples, its queries, edits and files (MemLLM, sections 3.1 and 4.3).

A query gives one side of a relation and leaves the other open. Candidates are names whose cosine passes a threshold; a
triple is found if the mean of its two does (`Profile`). The user reads the sheet line by line; changing a line rewrites
the text of its fact. `memory_store/sheet` stores and searches it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from assistant.errors import InputError, NotFound
from assistant.feedback.learning import restore_or_remember
from assistant.kinds import Fact, Triple
from assistant.papers.teachme.facts import fact, fold_sentence
from assistant.ports import Memory
from assistant.reasoning.reasoner import text_of
from assistant.reasoning.words import ENGLISH, Words
from assistant.sentences import Sentence
from assistant.text.tables import read_table
from assistant.types import Entry, Scope, Status, Turn

MOST_FOUND = 30
"""Triples that a query may find; if there are more, it returns none (Q_thr of the paper, appendix D)."""
_COLUMNS = ("subject", "relation", "object", "since", "from")
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""Start of a cell that a spreadsheet would compute, after any apostrophes, which escape it."""


@dataclass(frozen=True, slots=True)
class Query:
    """A relation with one side given and the other side open (empty)."""

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
    likeness: float = 1.0  # mean cosine between its entity and relation and the entity and relation of the query

    @property
    def name(self) -> str:
        """Return the name of the line: the id of its fact, and its index among the fact's triples."""
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
        """Answer a query from own and shared facts, except paused facts and facts of other conversations."""

    def lines(self, scope: Scope, wanted: Lines, limit: int | None = None, offset: int = 0) -> SheetPage:
        """Return the user's own lines, or one page of them."""


def sentences_of_triples(triples: Iterable[Triple], words: Words) -> str:
    """Return a plain sentence for each triple: "I | lives in | Pune" is "I live in Pune"."""
    plain = [(triple, " ".join(triple.model_dump().values())) for triple in triples]
    return ". ".join(text_of(triple, words) if words.language(text) == ENGLISH else text for triple, text in plain)


@dataclass(frozen=True, slots=True)
class SheetEditing:
    """Editor of facts by their triples. Raises as `Memory` does."""

    memory: Memory
    words: Words

    def named(self, name: str, scope: Scope) -> tuple[Entry, int]:
        """Return the fact of a line, and the index of the line among its triples."""
        entry_id, _, at = name.partition(".")
        entry = self.memory.entry(entry_id, scope)
        if not at.isdecimal() or len(at) > 4 or int(at) >= len(triples_of(entry)) or entry.owner != scope.person:
            raise NotFound
        return entry, int(at)

    def change(self, name: str, line: str, scope: Scope) -> Entry:
        """Replace the line `name`; an empty `line` removes it and keeps the text. Raises InputError for other text."""
        entry, at = self.named(name, scope)
        triple = Triple.read(line)
        if line and triple is None:
            raise InputError("triple.malformed")
        triples = [*triples_of(entry)]
        triples[at : at + 1] = [triple] if triple else []
        text = sentences_of_triples(triples, self.words) if triple else ""
        return self.memory.set_triples(entry.id, triples, scope, text)

    def take_in(self, told: Iterable[tuple[str, Sequence[Triple]]], scope: Scope) -> tuple[int, list[Sentence]]:
        """Store each sentence with its triples; an empty sentence is written from its triples.

        Duplicates are stored once. Returns the number of stored triples, and the reasons why others were refused.
        """
        kept, why = 0, list[Sentence]()
        for sentence, triples in told:
            text = sentence or sentences_of_triples(triples, self.words)
            try:
                self.remember(text, triples, scope)
                kept += len(triples)
            except InputError as error:
                why.append(Sentence("triple.not_kept", {"text": text, "why": error.sentence}))
        return kept, why

    def remember(self, sentence: str, triples: Sequence[Triple], scope: Scope, turn: Turn | None = None) -> Entry:
        """Store a sentence as a fact, and add these triples to those that it already has."""
        draft = fact(turn or Turn("", "", scope.person, ""), sentence, triples=tuple(triples))
        entry = self.memory.current(self.memory.remember(draft, scope).id, scope)
        if entry is None or fold_sentence(entry.shown) != fold_sentence(sentence):  # retracted or replaced before
            entry = restore_or_remember(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        new = [triple for triple in triples if triple not in triples_of(entry)]
        return self.memory.set_triples(entry.id, [*triples_of(entry), *new], scope) if new else entry


def as_table(lines: Iterable[Line], *, as_json: bool = False) -> str:
    """Return the lines as a CSV file, with formulas escaped, or as a JSON file."""
    rows = [
        (*line.triple.model_dump().values(), line.entry.created.isoformat(timespec="seconds"), line.entry.shown)
        for line in lines
    ]
    if as_json:
        return json.dumps([dict(zip(_COLUMNS, row, strict=True)) for row in rows], ensure_ascii=False, indent=1) + "\n"
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([f"'{cell}" if _FORMULA.match(cell) else cell for cell in row] for row in (_COLUMNS, *rows))
    return out.getvalue()


def from_csv(text: str, header: bool | None = None) -> list[Triple]:
    """Parse the triples in the first three columns of a table; `header` is True if the first row is a header.

    Raises HeaderUnclear if `header` is None and not detectable, and InputError with the number of an invalid row.
    """
    triples: list[Triple] = []
    for row in read_table(text, _COLUMNS[:3], header=header, may_have_more=True):
        cells = [cell.removeprefix("'") if _FORMULA.match(cell) else cell for cell in row.cells[:3]]
        if len(cells) < 3 or not all(cells):
            raise InputError("sheet.too_few", number=row.number)
        if (triple := Triple.read(" | ".join(cells))) is None:
            raise InputError("sheet.bad_names", number=row.number)
        triples.append(triple)
    return triples
