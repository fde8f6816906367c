"""The fact sheet as a file: written as CSV or JSON, and read from CSV, each bad line with the reason. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assistant.kinds import Triple
from assistant.memllm.listing import Line
from assistant.sentences import Sentence

COLUMNS = ("subject", "relation", "object", "since", "from")
_NAMES = 3  # columns that say something
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""With these a cell begins that a spreadsheet would work out."""
_TEXT = "'"


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of a file that is no triple."""

    number: int  # from 1
    why: Sentence


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


def from_csv(text: str) -> tuple[list[Triple], list[BadLine]]:
    """What a file says; its first line may name the columns. Further columns than three say nothing."""
    told: list[Triple] = []
    bad: list[BadLine] = []
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff").replace("\0", "")))
    rows = _rows(reader)
    for at, row in enumerate(rows):
        cells = [_read_cell(cell.strip()) for cell in row]
        if not any(cells) or (not at and [cell.casefold() for cell in cells[:_NAMES]] == [*COLUMNS[:_NAMES]]):
            continue
        triple = Triple.read(" | ".join(cells[:_NAMES])) if len(cells) >= _NAMES else None
        if triple is None:
            code = "sheet.too_few" if len([cell for cell in cells[:_NAMES] if cell]) < _NAMES else "sheet.bad_names"
            bad.append(BadLine(reader.line_num, Sentence(code, {"number": reader.line_num})))
        else:
            told.append(triple)
    return told, bad


def _rows(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:  # a cell that is longer than any name
            yield ["", "", "", "?"]


def _read_cell(written: str) -> str:
    return written[1:] if written.startswith(_TEXT) and _is_formula(written) else written


def _is_formula(cell: str) -> bool:
    return cell.lstrip(_TEXT).startswith(_FORMULA)


def _row(line: Line) -> tuple[str, ...]:
    triple = line.triple
    since = line.entry.created.isoformat(timespec="seconds")
    return triple.subject, triple.relation, triple.object, since, line.entry.shown
