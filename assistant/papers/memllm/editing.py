"""Edits of the fact sheet (MemLLM, section 4.3): its user changes a line, removes it, exports all or imports many.

1. A line is a triple of a fact; a fact whose line the user changed says what its triples say (`SheetEditing`).
2. An export is a table that other programs read (`as_csv`, `as_json`), and an import reads it back (`from_csv`).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.errors import InputError, NotFound, NotKept, NotSaid, StoreError
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import Fact, Triple
from assistant.papers.memllm.sheet import Line, triples_of
from assistant.papers.teachme.facts import fact, same
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
"""The beginning of a cell that a spreadsheet would compute, with apostrophes before it, which make it text."""


def changes_of(lines: int) -> int:
    """Return as how many changes of memory so many lines count. Raises InputError where they are too many together."""
    if lines > MOST_AT_ONCE:
        raise InputError("sheet.too_many", count=MOST_AT_ONCE)
    return max(1, -(-lines // _OF_A_CHANGE))


def sentences_of_triples(triples: Iterable[Triple], words: Words) -> str:
    """Return a plain sentence for each triple: "I | lives in | Pune" is "I live in Pune"."""
    plain = [(triple, " ".join(triple.model_dump().values())) for triple in triples]
    return ". ".join(text_of(triple, words) if words.language(text) == ENGLISH else text for triple, text in plain)


@dataclass(frozen=True, slots=True)
class SheetEditing:
    """Changes facts by their triples. Raises as `Memory` does."""

    memory: Memory
    words: Words

    def named(self, name: str, scope: Scope) -> tuple[Entry, int]:
        """Return the fact of a line, and the place of the line among its triples."""
        entry_id, _, at = name.partition(".")
        entry = self.memory.entry(entry_id, scope)
        if not at.isdecimal() or len(at) > 4 or int(at) >= len(triples_of(entry)) or entry.owner != scope.person:
            raise NotFound
        return entry, int(at)

    def change(self, name: str, line: str, scope: Scope) -> Entry:
        """Replace the line of this name. Raises InputError where `line` is no triple."""
        triple = Triple.read(line)
        if triple is None:
            raise InputError("triple.malformed")
        entry, at = self.named(name, scope)
        triples = [*triples_of(entry)]
        triples[at] = triple
        return self.memory.set_triples(entry.id, triples, scope, sentences_of_triples(triples, self.words))

    def take_off(self, name: str, scope: Scope) -> Entry:
        """Remove a line from its fact, which stays in its own words."""
        entry, at = self.named(name, scope)
        triples = triples_of(entry)
        return self.memory.set_triples(entry.id, [*triples[:at], *triples[at + 1 :]], scope)

    def take_in(
        self, told: Iterable[tuple[str, Sequence[Triple]]], scope: Scope, tell: Callable[[int], None] | None = None
    ) -> tuple[int, list[Sentence]]:
        """Remember each sentence with its triples, and one without words by what its triples say.

        The same twice is stored once. Returns the number of triples kept, of which it also tells `tell` after each
        sentence, and why the others were not kept.
        """
        kept, why = 0, list[Sentence]()
        for sentence, triples in told:
            text = sentence or sentences_of_triples(triples, self.words)
            try:
                self.remember(text, triples, scope)
                kept += len(triples)
            except (InputError, StoreError) as error:
                why.append(Sentence("triple.not_kept", {"text": text, "why": error.sentence}))
                if not isinstance(error, NotKept | NotSaid):  # neither would the next ones be
                    break
            if tell:
                tell(kept)
        return kept, why

    def remember(self, sentence: str, triples: Sequence[Triple], scope: Scope, turn: Turn | None = None) -> Entry:
        """Remember a sentence, of a turn or of none, as a fact with these triples, beside those that it has already."""
        draft = fact(turn or Turn("", "", scope.person, ""), sentence)
        draft = replace(draft, body=Fact(text=sentence, triples=tuple(triples)))
        entry = self.memory.current(self.memory.remember(draft, scope).id, scope)
        if entry is None or not same(entry.shown, sentence):  # it was taken back, or replaced
            entry = remember_anew(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        new = [triple for triple in triples if triple not in triples_of(entry)]
        return self.memory.set_triples(entry.id, [*triples_of(entry), *new], scope) if new else entry


def as_csv(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the lines of a CSV file; no cell of it is a formula."""
    for row in (COLUMNS, *map(_row, lines)):
        out = io.StringIO()
        cells = [f"'{cell}" if _FORMULA.match(cell) else cell for cell in row]
        csv.writer(out, lineterminator="\n").writerow(cells)
        yield out.getvalue()


def as_json(lines: Iterable[Line]) -> str:
    """Return the lines as a JSON list of objects."""
    rows = [dict(zip(COLUMNS, _row(line), strict=True)) for line in lines]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _row(line: Line) -> tuple[str, ...]:
    since = line.entry.created.isoformat(timespec="seconds")
    return *line.triple.model_dump().values(), since, line.entry.shown


def from_csv(text: str, header: bool | None = None) -> list[Triple]:
    """Return the triples of a table, from its first three columns; `header` says whether its first row is a header.

    Raises HeaderUnclear if `header` is None and cannot be told, and InputError: a row is no triple, with its number.
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
