"""The fact sheet as a file: an export imports again, and a bad line refuses the file."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError
from assistant.kinds import Triple
from assistant.papers.memllm.sheet import Line, as_table, from_csv
from tests.support.memory.entries import build_entry

pytestmark = pytest.mark.promise("sheet-files")

NAMES = st.text(min_size=1, max_size=20).map(lambda text: Triple.read(f"{text}|x|y")).filter(bool)


def line(triple: Triple) -> Line:
    return Line(triple, build_entry())


@given(st.lists(NAMES, max_size=5))
def test_written_sheet_reads_back(triples: list[Triple]) -> None:
    assert from_csv(as_table(map(line, triples))) == triples


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "'="])
def test_cell_is_no_formula(sign: str) -> None:
    triple = Triple(subject=f"{sign}cmd()", relation="is", object="bad")
    written = as_table([line(triple)])
    assert written.splitlines()[1].startswith(f"'{sign}")
    assert from_csv(written) == [triple]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("a,,c", "sheet.too_few"),
        ("x" * 400 + ",is,y", "sheet.bad_names"),
        ('a,is,"b', "file.quote"),
        ("a,is,b,c,d", "file.columns"),
        ("Jos\ufffd,is,b", "file.damaged_line"),
    ],
)
def test_bad_row_refuses_the_file(row: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        from_csv(f"subject,relation,object\nDana,works in,Pune\n\n,,\n{row}\n")
    assert (refused.value.sentence.code, refused.value.sentence.parameters["number"]) == (code, 5)


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    with suppress(InputError):
        assert all(one.subject for one in from_csv(text, header=False))
