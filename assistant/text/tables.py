"""Read a table as spreadsheets and editors write it: detect its separator and its header, and check its rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from assistant.errors import HeaderUnclear, InputError

_SEPARATORS = "\t|;,"  # in order of preference: rarer in sentences first
_CHOSEN = re.compile(r'\s*"?sep=([^" \n])"?[\t;,]*(?:\n|$)', re.IGNORECASE)  # Excel's separator line
_LOOKED_AT = 200  # rows for the detection of the separator
_SHOWN = 200  # characters of a header


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, without empty ones at its end."""

    number: int  # of its first line, from 1
    cells: Sequence[str]
    width: int  # with empty cells


def read_table(
    text: str, names: Sequence[str], *, header: bool | None = None, may_have_more: bool = False
) -> Sequence[Row]:
    """Return the rows of a table with the columns `names`, without header, blank lines and a line `sep=`.

    `header` is True if the first row is one; if it is None, only a row of `names` is a header, and any other raises
    HeaderUnclear. Raises InputError, with the number of the line, for an unclosed quotation mark, a row with more cells
    than the first one, a damaged character, or a header only. The caller checks the minimum number of cells.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    chosen = _CHOSEN.match(text)
    start = chosen.end() if chosen else 0
    separator = chosen[1] if chosen else _separator(text, len(names), may_have_more=may_have_more)
    rows = [*_rows(text[start:], separator, text.count("\n", 0, start) + 1)]
    for row in rows:
        if len(row.cells) > rows[0].width:
            count, wanted = len(row.cells), rows[0].width
            raise InputError("file.columns", number=row.number, count=count, first=rows[0].number, wanted=wanted)
        if any("\ufffd" in cell for cell in row.cells):
            raise InputError("file.damaged_line", number=row.number)
    return _without_header(rows, names, header)


def _rows(text: str, separator: str, number: int) -> Iterator[Row]:
    """Yield the non-blank rows; the first line has this `number` in the file."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        begins = number + reader.line_num
        try:
            written = next(reader)
        except StopIteration:
            return
        except csv.Error:
            raise InputError("file.quote", number=begins) from None
        cells = [cell.strip() for cell in written]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield Row(begins, cells, len(written))


def _separator(text: str, columns: int, *, may_have_more: bool) -> str:
    """Return the separator that gives most of the first rows the wanted number of columns."""

    def fitting(separator: str) -> int:
        count = 0
        with suppress(InputError):
            for row in islice(_rows(text, separator, 1), _LOOKED_AT):
                count += len(row.cells) == columns or (may_have_more and len(row.cells) > columns)
        return count

    likeliest = max(_SEPARATORS, key=fitting)
    return likeliest if fitting(likeliest) else _SEPARATORS[-1]


def _without_header(rows: Sequence[Row], names: Sequence[str], header: bool | None) -> Sequence[Row]:
    if not rows:
        return rows
    number, first = rows[0].number, rows[0].cells
    is_known = [cell.casefold() for cell in first[: len(names)]] == [*names]
    if header is None and not is_known and len(first) >= len(names):
        raise HeaderUnclear(number=number, cells=" · ".join(first)[:_SHOWN])
    if not (is_known if header is None else header):
        return rows
    rest = [row for row in rows if row.cells != first]
    if not (rest or is_known):
        raise InputError("file.only_header", number=number)
    return rest
