"""Tables are read with any separator, quoted line breaks and headers in any words, or refused by line."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError
from assistant.text.tables import read_table

pytestmark = pytest.mark.promise("editors-files-are-read")

QUESTION, FACT = ("question", "answer"), ("subject", "relation", "object")
ROWS = [["Wer ist das, bitte?", "Onkel"], ["Was ist\ndas; hier?", 'ein "Ding"']]


def cells(text: str, names: tuple[str, ...] = QUESTION) -> list[list[str]]:
    return [[*row.cells] for row in read_table(text, names, may_have_more=names == FACT).rows]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(separator: str, end: str) -> None:
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in ROWS]
    text = end.join(separator.join(row) for row in quoted)
    blank = f"{end}{end}{separator}{end}   {end}"
    assert cells(blank + text.replace("\n", end) + blank) == ROWS
    assert cells(f"\ufeffquestion{separator}answer{end}{text}") == ROWS


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "sep=;;"])
def test_sep_line_chooses_the_separator(first: str) -> None:
    assert cells(f"\ufeff{first}\r\nWho, then, is it?;Bo\r\n") == [["Who, then, is it?", "Bo"]]
    with pytest.raises(InputError, match="Line 3 has 3 columns"):
        cells(f"{first}\nWho is it?;Bo\na;b;c\n")


def test_commas_in_cells_do_not_separate() -> None:
    assert cells("Preis;3,50 €\nGewicht;2,25 kg\nWert;3,50 €\n")[-1] == ["Wert", "3,50 €"]
    assert cells("Dana;works in;Pune, India\nAbe;works in;Leeds, UK\n", FACT)[0] == ["Dana", "works in", "Pune, India"]


@pytest.mark.parametrize(
    "header",
    [
        "Frage;Antwort", "सवाल;जवाब", "ਸਵਾਲ;ਜਵਾਬ", "Q;A", "prompt;completion", "Question?;Answer",
        "What do they ask?;What do I say?", "Question (as asked);Answer, in one word", "Term;Onkel?",
    ],
)  # fmt: skip
def test_header_in_any_words_is_not_learnt(header: str) -> None:
    text = "Who is my mother's brother?;uncle\nWho is my aunt's son?;cousin\n"
    for written in (f"{header}\n{text}", f"\n{header}\n{text}{header}\n"):
        table = read_table(written, QUESTION)
        assert [row.cells[1] for row in table.rows] == ["uncle", "cousin"]
        assert header.replace(";", " · ") in str(table.header)


def test_header_alone_is_refused() -> None:
    for text, names in (("Frage;Antwort\n", QUESTION), ("\nFrage?\tAntwort", QUESTION), ("Wer,Was,Wen\n\n", FACT)):
        with pytest.raises(InputError, match=r"Line \d looks like column names"):
            read_table(text, names)


@pytest.mark.parametrize("header", ["Wer,Was,Wen", "name,property,value,notes", "चीज़,बात,दूसरी चीज़", "A,B,C"])
def test_header_of_facts_is_not_learnt(header: str) -> None:
    table = read_table(f"{header}\nDana,works in,Pune\nZembla,capital,Onhava\n", FACT, may_have_more=True)
    assert [row.number for row in table.rows] == [2, 3]
    assert "Line 1 " in str(table.header)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who is my mother's brother?,uncle\nWho is my aunt's son?,cousin", QUESTION),
        ("Who is my mother's brother?,uncle", QUESTION),
        ("मेरा मामा कौन है?\tराम\nमेरी मौसी कौन है?\tसीता", QUESTION),
        ("red,yes\nblue,no\ngreen,yes", QUESTION),
        ("2+2,4\n3+3,6", QUESTION),
        ("Dana,works in,Pune\nAbe,works in,Leeds", FACT),
        ("Dana,works in,Pune\nI,manager,Dana", FACT),
        ("question,answer\nquestion,answer\nWho is it?,Bo", ("x", "y")),
    ],
)
def test_first_row_of_data_is_kept(text: str, names: tuple[str, ...]) -> None:
    table = read_table(text, names, may_have_more=names == FACT)
    if names == ("x", "y"):  # a header that recurs is one each time
        assert [row.number for row in table.rows] == [3]
    else:
        assert (table.rows[0].number, table.header) == (1, None)


def test_names_above_keep_any_first_row() -> None:
    assert cells("hot,cold\nbig,small\n") == [["big", "small"]]
    assert cells("question,answer\nhot,cold\nbig,small\n") == [["hot", "cold"], ["big", "small"]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('Who is it?,Bo\n"Who is that,Al\nWho is it now?,Cy\n', 2),
        ('Who is it?,Bo\nWho is that?,"Al" so\n', 2),
        ("Who is it?,Bo\n\nWho, then, is that?,Al\n", 3),
        ("Who is it?,Bo\nWho is Jos\ufffd?,Al\n", 2),
        ("Who is it?,Bo\nWho is it?," + "x" * 200_000, 2),
    ],
)
def test_bad_row_is_refused_by_line(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"Line {line} "):
        read_table(text, QUESTION)


@given(st.text(st.sampled_from('a?b ,;\t|"\n\r=\ufeffsep1')))
def test_any_text_is_a_table_or_refused(text: str) -> None:
    with suppress(InputError):
        assert all(row.cells for row in read_table(text, QUESTION).rows)
