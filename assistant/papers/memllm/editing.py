"""Edits of the fact sheet (MemLLM, section 4.3): change or remove a line, export all lines, import a table.

1. A line is a triple of a fact; changing it rewrites the text of the fact from its triples (`SheetEditing`).
2. An export is a table for other programs (`as_csv`, `as_json`), and an import reads it back (`from_csv`).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assistant.errors import InputError, NotFound, NotKept, NotSaid, StoreError
from assistant.feedback.clarifications import restore_or_remember
from assistant.kinds import Fact, Triple
from assistant.papers.memllm.sheet import Line, triples_of
from assistant.papers.teachme.facts import fact, is_same_sentence
from assistant.ports import Memory
from assistant.reasoning.triples import text_of
from assistant.reasoning.words import ENGLISH, Words
from assistant.sentences import Sentence
from assistant.text.tables import read_table
from assistant.types import Entry, Scope, Status, Turn

MOST_AT_ONCE = 1_000
"""Lines of one import."""
COLUMNS = ("subject", "relation", "object", "since", "from")
_NAMES = 3  # columns of a triple
_OF_A_CHANGE = 100  # lines that count as one change of memory
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""Start of a cell that a spreadsheet would compute, after any apostrophes, which escape it."""


def changes_of(lines: int) -> int:
    """Return the number of memory changes that `lines` lines count as. Raises InputError if they are too many."""
    if lines > MOST_AT_ONCE:
        raise InputError("sheet.too_many", count=MOST_AT_ONCE)
    return max(1, -(-lines // _OF_A_CHANGE))


def sentences_of_triples(triples: Iterable[Triple], words: Words) -> str:
    """Return a plain sentence for each triple: "I | lives in | Pune" is "I live in Pune"."""
    plain = [(triple, " ".join(triple.model_dump().values())) for triple in triples]
    return ". ".join(text_of(triple, words) if words.language(text) == ENGLISH else text for triple, text in plain)


@dataclass(frozen=True, slots=True)
class SheetEditing:
    """Editor of facts by their triples. Raises as `Memory` does."""

    memory: Memory
    words: Words

    def change(self, name: str, line: str, scope: Scope) -> Entry:
        """Replace the line `name`. Raises InputError if `line` is no triple."""
        triple = Triple.read(line)
        if triple is None:
            raise InputError("triple.malformed")
        entry, before, after = self._named(name, scope)
        triples = [*before, triple, *after]
        return self.memory.set_triples(entry.id, triples, scope, sentences_of_triples(triples, self.words))

    def take_off(self, name: str, scope: Scope) -> Entry:
        """Remove a line from its fact, and keep the text of the fact."""
        entry, before, after = self._named(name, scope)
        return self.memory.set_triples(entry.id, [*before, *after], scope)

    def _named(self, name: str, scope: Scope) -> tuple[Entry, Sequence[Triple], Sequence[Triple]]:
        """Return the fact of a line, and its triples before and after the line."""
        entry_id, _, place = name.partition(".")
        entry = self.memory.entry(entry_id, scope)
        at, triples = int(place) if place.isdecimal() and len(place) < 5 else MOST_AT_ONCE, triples_of(entry)
        if at >= len(triples) or entry.owner != scope.person:
            raise NotFound
        return entry, triples[:at], triples[at + 1 :]

    def take_in(
        self, told: Iterable[tuple[str, Sequence[Triple]]], scope: Scope, tell: Callable[[int], None] | None = None
    ) -> tuple[int, list[Sentence]]:
        """Store each sentence with its triples; an empty sentence is written from its triples.

        Duplicates are stored once. Reports the number of stored triples to `tell` after each sentence, and returns it
        with the reasons why others were refused.
        """
        kept, why = 0, list[Sentence]()
        for sentence, triples in told:
            text = sentence or sentences_of_triples(triples, self.words)
            try:
                self.remember(text, triples, scope)
                kept += len(triples)
            except (InputError, StoreError) as error:
                why.append(Sentence("triple.not_kept", {"text": text, "why": error.sentence}))
                if not isinstance(error, NotKept | NotSaid):  # the next ones would fail, too
                    break
            if tell:
                tell(kept)
        return kept, why

    def remember(self, sentence: str, triples: Sequence[Triple], scope: Scope, turn: Turn | None = None) -> Entry:
        """Store a sentence as a fact, and add these triples to those that it already has."""
        draft = fact(turn or Turn("", "", scope.person, ""), sentence)
        draft = replace(draft, body=Fact(text=sentence, triples=tuple(triples)))
        entry = self.memory.current(self.memory.remember(draft, scope).id, scope)
        if entry is None or not is_same_sentence(entry.shown, sentence):  # retracted or replaced before
            entry = restore_or_remember(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        new = [triple for triple in triples if triple not in triples_of(entry)]
        return self.memory.set_triples(entry.id, [*triples_of(entry), *new], scope) if new else entry


def as_csv(lines: Iterable[Line]) -> str:
    """Return the lines as a CSV file, with formulas escaped."""
    out = io.StringIO()
    for row in (COLUMNS, *map(_row, lines)):
        cells = [f"'{cell}" if _FORMULA.match(cell) else cell for cell in row]
        csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def as_json(lines: Iterable[Line]) -> str:
    """Return the lines as a JSON file."""
    rows = [dict(zip(COLUMNS, _row(line), strict=True)) for line in lines]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _row(line: Line) -> tuple[str, ...]:
    since = line.entry.created.isoformat(timespec="seconds")
    return *line.triple.model_dump().values(), since, line.entry.shown


def from_csv(text: str, header: bool | None = None) -> list[Triple]:
    """Parse the triples in the first three columns of a table; `header` is True if the first row is a header.

    Raises HeaderUnclear if `header` is None and not detectable, and InputError with the number of an invalid row.
    """
    triples: list[Triple] = []
    for row in read_table(text, COLUMNS[:_NAMES], header=header, may_have_more=True):
        cells = [cell.removeprefix("'") if _FORMULA.match(cell) else cell for cell in row.cells[:_NAMES]]
        if len(cells) < _NAMES or not all(cells):
            raise InputError("sheet.too_few", number=row.number)
        triple = Triple.read(" | ".join(cells))
        if triple is None:
            raise InputError("sheet.bad_names", number=row.number)
        triples.append(triple)
    return triples
