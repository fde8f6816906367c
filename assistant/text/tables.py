"""Read a table as spreadsheets and editors write it: find its separator and its header, and check its rows. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from assistant.errors import InputError
from assistant.sentences import Sentence

_SEPARATORS = "\t|;,"  # where two fit equally well, the one that is rarer in sentences
_CHOSEN = re.compile(r'\s*"?sep=([^" \n])"?[\t;,]*(?:\n|$)', re.IGNORECASE)  # how Excel is told the separator
_LOOKED_AT = 200  # rows by which the separator is chosen
_SHOWN = 200  # characters of a header
_ENDS = tuple(".!?…。！？।॥؟")
_WORDS, _WORDS_WITHOUT_END = 3, 6  # of a sentence, at least


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, less empty ones at its end."""

    number: int  # of the line on which it begins, from 1
    cells: Sequence[str]
    width: int  # with empty cells


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file, and which line was taken as its header where it has other words than expected."""

    rows: Sequence[Row]
    header: Sentence | None = None


def read_table(text: str, names: Sequence[str], *, may_have_more: bool = False) -> Table:
    """Return the rows of a table with the columns `names`, without its header, blank lines and a line `sep=`.

    A first row that may be a header in any words is taken as one; the caller shows `Table.header`, which says so.
    Raises InputError, with the number of the line, if a quotation mark has no partner, a row has more cells than the
    first one, a character is damaged, or only a header is there. The caller checks whether a row has enough cells.
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
    return _without_header(rows, names)


def _rows(text: str, separator: str, number: int) -> Iterator[Row]:
    """The rows that are not blank, of which the first begins on line `number` of the file."""
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
    """Return the separator with which most of the first rows have the wanted number of columns."""

    def fitting(separator: str) -> int:
        count = 0
        with suppress(InputError):
            for row in islice(_rows(text, separator, 1), _LOOKED_AT):
                count += len(row.cells) == columns or (may_have_more and len(row.cells) > columns)
        return count

    likeliest = max(_SEPARATORS, key=fitting)
    return likeliest if fitting(likeliest) else _SEPARATORS[-1]


def _without_header(rows: Sequence[Row], names: Sequence[str]) -> Table:
    if not rows or len(rows[0].cells) < len(names):  # which the caller refuses
        return Table(rows)
    first = rows[0].cells
    is_known = [cell.casefold() for cell in first[: len(names)]] == [*names]
    if not is_known and _is_data(first, [row.cells for row in rows[1:] if row.cells != first]):
        return Table(rows)
    rest = [row for row in rows if row.cells != first]
    number = rows[0].number
    if is_known:
        return Table(rest)
    if not rest:
        raise InputError("file.only_header", number=number)
    return Table(rest, Sentence("file.header", {"number": number, "cells": " · ".join(first)[:_SHOWN]}))


def _is_data(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row cannot be a header: it has a number, a value that recurs, or a sentence where the
    other rows have one. Of two columns only the answers recur; what is asked may be a word of the header.
    """
    if any(any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell)) for cell in first):
        return True
    answers = {row[-1] for row in rest} if len(first) <= 2 else {cell for row in rest for cell in row}
    if answers.intersection(first[-1:] if len(first) <= 2 else first):
        return True
    sentences = [column for column, cell in enumerate(first) if _is_sentence(cell)]
    return bool(sentences) and all(_has_sentences(column, rest) for column in sentences)


def _has_sentences(column: int, rows: Sequence[Sequence[str]]) -> bool:
    """Return True if at least half of the cells of a column are sentences."""
    cells = [row[column] for row in rows if len(row) > column]
    return 2 * sum(map(_is_sentence, cells)) >= len(cells)


def _is_sentence(cell: str) -> bool:
    words = len(cell.split())
    return words >= _WORDS_WITHOUT_END or (words >= _WORDS and cell.endswith(_ENDS))
