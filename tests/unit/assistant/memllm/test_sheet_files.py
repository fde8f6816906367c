"""The fact sheet as a file: what comes out goes in again, and bad lines are told."""

import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.kinds import FACT, Fact, Triple
from assistant.memllm.listing import Line
from assistant.memllm.table import as_csv, from_csv
from assistant.types import Entry, Status

NAMES = st.text(min_size=1, max_size=20).map(lambda text: Triple.read(f"{text}|x|y")).filter(bool)


def line(triple: Triple) -> Line:
    body = Fact(text="so", triples=(triple,))
    entry = Entry(
        FACT, "so", body, id="e", owner="me", shared=False, status=Status.ACTIVE, sequence=1,
        created=datetime(2026, 1, 1, tzinfo=UTC), keys=(),
    )  # fmt: skip
    return Line(triple, entry)


@given(st.lists(NAMES, max_size=5))
def test_what_comes_out_goes_in_again(triples: list[Triple]) -> None:
    told, bad = from_csv("".join(as_csv(map(line, triples))))
    assert (told, bad) == (triples, [])


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "'="])
def test_no_cell_is_a_formula(sign: str) -> None:
    triple = Triple(subject=f"{sign}cmd()", relation="is", object="bad")
    written = "".join(as_csv([line(triple)]))
    (_, row) = csv.reader(io.StringIO(written))
    assert row[0].startswith("'")
    assert from_csv(written) == ([triple], [])


def test_an_apostrophe_is_a_sign_of_a_name_and_a_cell_that_is_too_long_is_one_bad_line() -> None:
    long = "x" * (csv.field_size_limit() + 1)
    told, bad = from_csv(f"'s-Hertogenbosch,is in,Brabant\n{long},is,long\nDana,works in,Pune\n")
    assert [one.line for one in told] == ["'s-Hertogenbosch | is in | Brabant", "Dana | works in | Pune"]
    assert [one.number for one in bad] == [2]


def test_bad_lines_are_told_with_their_numbers_and_the_others_are_taken() -> None:
    text = "subject,relation,object\nDana,works in,Pune\nonly,two\n\n,,\na|b,is,c\n" + "x" * 400 + ",is,y\n"
    told, bad = from_csv(text)
    assert [one.line for one in told] == ["Dana | works in | Pune"]
    assert [(one.number, one.why.code) for one in bad] == [
        (3, "sheet.too_few"),
        (6, "sheet.bad_names"),
        (7, "sheet.bad_names"),
    ]


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    told, bad = from_csv(text)
    assert all(one.subject for one in told)
    assert all(str(one.why) for one in bad)
