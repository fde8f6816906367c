"""Files are decoded as Excel, Notepad and the Mac write them, and tables parsed with any separator and header.

A binary file is refused whole, and a bad row by its line.
"""

import codecs
import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import HeaderUnclear, InputError
from assistant.text.tables import UnreadableFile, decode, read_table

pytestmark = pytest.mark.promise("editors-files-are-read")

WRITTEN = 'question,answer\r\n"मेरा मामा\nकौन है?",राम\r\nਮੇਰਾ ਮਾਮਾ ਕੌਣ ਹੈ?,ਰਾਮ 🙂\r\n\r\n'
ZIP = b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00bytes of a workbook\xff\xfe\x00"
IMAGE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00"
CP932 = "名前は何ですか？,太郎です\r\n東京はどこですか？,日本の首都です\r\n".encode("cp932")
QUESTION, FACT = ("question", "answer"), ("subject", "relation", "object")
ROWS = [["Wer ist das, bitte?", "Onkel"], ["Was ist\ndas; hier?", 'ein "Ding"']]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_unicode_comes_through_exactly(encoding: str) -> None:
    assert decode(WRITTEN.encode(encoding)) == WRITTEN
    assert decode(codecs.BOM_UTF16_BE + WRITTEN.encode("utf-16-be")) == WRITTEN


def test_legacy_encoding_is_detected() -> None:
    for encoding, text in (("cp1252", "my “best” café – €5,yes\r\n"), ("mac_roman", "Who is “Zoë”?,José’s aunt\r")):
        assert decode(text.encode(encoding)) == text
        far = ("plain,ascii" + text[-1]) * 20_000 + text  # beyond the part that detection reads
        assert decode(far.encode(encoding)) == far


@pytest.mark.parametrize("content", [ZIP, IMAGE, bytes(range(256)), b"a,b\n\x00", WRITTEN.encode("utf-16")[:-1], CP932])
def test_file_in_no_known_encoding_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="can’t be read as text"):
        decode(content)


@pytest.mark.parametrize("damage", [b"\xff", b"\xe0\xa4", b"\xc3("])
def test_damaged_utf8_is_refused_by_line(damage: bytes) -> None:
    with pytest.raises(UnreadableFile, match="Line 5 "):
        decode(WRITTEN.encode()[:-2] + damage)


def cells(text: str, names: tuple[str, ...] = QUESTION, *, header: bool | None = None) -> list[list[str]]:
    return [[*row.cells] for row in read_table(text, names, header=header, may_have_more=names == FACT)]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(separator: str, end: str) -> None:
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in ROWS]
    text = end.join(separator.join(row) for row in quoted)
    blank = f"{end}{end}{separator}{end}   {end}"
    assert cells(blank + text.replace("\n", end) + blank, header=False) == ROWS
    assert cells(f"\ufeffquestion{separator}answer{end}{text}") == ROWS


@pytest.mark.parametrize("first", ["सवाल;जवाब", "What was asked?;What is right"])
def test_unclear_first_row_is_asked_about(first: str) -> None:
    rows = [["Who is my uncle's child, please?", "cousin"], ["Who is my father's brother?", "uncle"]]
    text = "".join(f"{row[0]};{row[1]}\n" for row in rows)
    asked = f"Line 2 is “{first.replace(';', ' · ')}”. Is it a header"
    with pytest.raises(HeaderUnclear, match=re.escape(asked)):
        cells(f"\n{first}\n{text}")
    assert cells(f"\n{first}\n{text}{first}\n", header=True) == rows
    assert cells(f"{first}\n{text}", header=False) == [first.split(";"), *rows]


def test_row_of_the_names_is_a_header() -> None:
    assert cells("Question,ANSWER\nhot,cold\n") == [["hot", "cold"]]
    assert cells("question,answer\nhot,cold\nquestion,answer\n") == [["hot", "cold"]]
    assert cells("question,answer\nhot,cold\n", header=False) == [["question", "answer"], ["hot", "cold"]]


@pytest.mark.parametrize(
    "row", ["a,b,c", '"Who,Al\nWho is it now?,Cy', "Who is Jos\ufffd?,Al", "Why?," + "x" * 200_000]
)
def test_bad_row_is_refused_by_line(row: str) -> None:
    with pytest.raises(InputError, match="Line 2 "):
        cells(f"Who is it?,Bo\n{row}\n", header=False)


@given(st.text(st.sampled_from('a?b ,;\t|"\n\r=\ufeff1')).map(str.encode) | st.binary(max_size=200))
def test_any_bytes_are_a_table_or_refused(content: bytes) -> None:
    with suppress(InputError):
        text = decode(content)
        assert "\0" not in text
        assert all(cells(text, header=False))
