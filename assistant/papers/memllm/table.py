"""The fact sheet as a file: written as CSV or JSON, and read from CSV. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from assistant.errors import InputError
from assistant.kinds import Triple
from assistant.papers.memllm.listing import Line
from assistant.text.tables import read_table

COLUMNS = ("subject", "relation", "object", "since", "from")
_NAMES = 3  # columns that say something
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""With these a cell begins that a spreadsheet would work out."""
_TEXT = "'"


def as_csv(lines: Iterable[Line]) -> Iterator[str]:
    """The lines of a file; no cell of it is a formula."""
    for row in (COLUMNS, *map(_row, lines)):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow([_TEXT + cell if _is_formula(cell) else cell for cell in row])
        yield out.getvalue()


def as_json(lines: Iterable[Line]) -> str:
    """A list of objects."""
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
