"""Read the files of users: decode their bytes, and parse tables as spreadsheets and editors write them."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from assistant.errors import HeaderUnclear, InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64_000  # bytes or characters to examine
_MOST_ODD = 0.02  # maximum share of control and unassigned characters (such as new emoji)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")
_PAIRS = re.compile(rb"(?=[\x80-\xff]{2})")
_AMONG_LATIN = re.compile(rb"[A-Za-z](?=[\x80-\xff])|[\x80-\xff](?=[A-Za-z])")

_SEPARATORS = "\t|;,"  # in order of preference: rarer in sentences first
_CHOSEN = re.compile(r'\s*"?sep=([^" \n])"?[\t;,]*(?:\n|$)', re.IGNORECASE)  # Excel's separator line
_LOOKED_AT = 200  # rows for the detection of the separator
_SHOWN = 200  # characters of a header


class UnreadableFile(InputError):
    code = "file.unreadable"


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, without empty ones at its end."""

    number: int  # of its first line, from 1
    cells: Sequence[str]
    width: int  # with empty cells


def decode(content: bytes) -> str:
    """Decode a file (UTF-8, UTF-16, UTF-32, or Western of Windows or the Mac), without its mark, in linear time.

    Raises UnreadableFile if it is no text, damaged, or in another encoding; no characters are dropped or replaced.
    """
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")
    if not encoding and b"\0" in content:
        # By the positions of the zero bytes of spaces, separators and line ends.
        encoding = "utf-16-be" if b"\0" in content[:_SAMPLE:2] else "utf-16-le"
    try:
        if not encoding:
            try:
                return content.decode()
            except UnicodeDecodeError as error:
                return content.decode(_find_legacy_encoding(content, error))
        text = content.decode(encoding)
    except UnicodeError:
        raise UnreadableFile from None
    sample = text[:_SAMPLE]  # binary data may be valid UTF-16
    odd = sum(unicodedata.category(sign) in {"Cc", "Cn"} and not sign.isspace() for sign in sample)
    if "\0" in text or odd > _MOST_ODD * len(sample):
        raise UnreadableFile
    return text.removeprefix("\ufeff")


def _find_legacy_encoding(content: bytes, error: UnicodeDecodeError) -> str:
    """Return the encoding of a Western text that is not in UTF-8. Raises UnreadableFile for all else."""
    read = content.decode(errors="replace")
    if sum(sign > "\x7f" for sign in read) > 2 * read.count("\ufffd"):  # most of it is UTF-8, so the rest is damaged
        raise UnreadableFile("file.damaged_line", number=content.count(b"\n", 0, error.start) + 1)
    # In Latin scripts some letters are non-ASCII, in others all letters of a word.
    sample = b"\n".join(line for line in content.splitlines() if not line.isascii())[:_SAMPLE]
    if _CONTROLS.search(content) or len(_PAIRS.findall(sample)) > len(_AMONG_LATIN.findall(sample)):
        raise UnreadableFile
    return "mac_roman" if b"\r" in content and b"\n" not in content else "cp1252"


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
    separator = chosen[1] if chosen else _find_separator(text, len(names), may_have_more=may_have_more)
    rows = [*_rows(text[start:], separator, text.count("\n", 0, start) + 1)]
    for row in rows:
        if len(row.cells) > rows[0].width:
            count, wanted = len(row.cells), rows[0].width
            raise InputError("file.columns", number=row.number, count=count, first=rows[0].number, wanted=wanted)
        if any("\ufffd" in cell for cell in row.cells):
            raise InputError("file.damaged_line", number=row.number)
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


def _find_separator(text: str, columns: int, *, may_have_more: bool) -> str:
    """Return the separator that gives most of the first rows the wanted number of columns."""

    def fitting(separator: str) -> int:
        count = 0
        with suppress(InputError):
            for row in islice(_rows(text, separator, 1), _LOOKED_AT):
                count += len(row.cells) == columns or (may_have_more and len(row.cells) > columns)
        return count

    likeliest = max(_SEPARATORS, key=fitting)
    return likeliest if fitting(likeliest) else _SEPARATORS[-1]
