"""Read the files of users: decode their bytes, and parse tables as spreadsheets and editors write them."""

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

_SAMPLE = 64_000  # bytes or characters to examine
_MOST_ODD = 0.02  # maximum share of control and unassigned characters (such as new emoji)
_SEPARATORS = "\t|;,"  # in order of preference: rarer in sentences first
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
    """Decode a file (UTF-8, UTF-16 with a mark, or Western of Windows or the Mac), without its mark, in linear time.

    Raises UnreadableFile if it is not text, damaged, or in another encoding; no characters are dropped or replaced.
    """
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        try:
            text = content.decode("utf-16" if is_utf16 else "utf-8")
        except UnicodeDecodeError as error:
            text = content.decode("utf-16" if is_utf16 else _find_legacy_encoding(content, error))
    except UnicodeError:
        raise UnreadableFile from None
    sample = text[:_SAMPLE] if is_utf16 else ""  # binary data may be valid UTF-16
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
    pairs = len(re.findall(rb"(?=[\x80-\xff]{2})", sample))
    among_latin = len(re.findall(rb"[A-Za-z](?=[\x80-\xff])|[\x80-\xff](?=[A-Za-z])", sample))
    if pairs > among_latin or re.search(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]", content):
        raise UnreadableFile
    return "mac_roman" if b"\r" in content and b"\n" not in content else "cp1252"


def read_table(
    text: str, names: Sequence[str], *, header: bool | None = None, may_have_more: bool = False
) -> Sequence[Row]:
    """Return the rows of a table with the columns `names`, without header and blank lines.

    `header` is True if the first row is one; if it is None, only a row of `names` is a header, and any other raises
    HeaderUnclear. Raises InputError, with the number of the line, for an unclosed quotation mark, a row with more cells
    than the first one, a damaged character, or a header only. The caller checks the minimum number of cells.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    fitting = dict.fromkeys(_SEPARATORS, 0)  # rows with the wanted number of columns
    for separator in fitting:
        with suppress(InputError):
            for row in islice(_rows(text, separator), _LOOKED_AT):
                count = len(row.cells)
                fitting[separator] += count == len(names) or (may_have_more and count > len(names))
    rows = [*_rows(text, max(fitting, key=fitting.__getitem__) if any(fitting.values()) else ",")]
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


def _rows(text: str, separator: str) -> Iterator[Row]:
    """Yield the non-blank rows."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        begins = 1 + reader.line_num
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
