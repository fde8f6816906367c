"""A text is read sentence by sentence, and the fact sheet as a file; a bad line refuses the file."""

from contextlib import suppress
from functools import partial
from unittest.mock import Mock, call

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError
from assistant.kinds import Triple
from assistant.papers.memllm.sheet import Line, as_table, from_csv
from assistant.papers.memllm.writing import read_by_rule, read_sentence
from assistant.reasoning.reasoner import Reasoner
from assistant.text.sentences import sentences_of
from assistant.types import Scope
from memory_store.language.languages import LANGUAGES
from tests.support.memory.entries import build_entry

pytestmark = pytest.mark.promise("texts-are-read-by-sentence", "sheet-files")

ME = Scope("me")
DANA, KIM = (
    Triple(subject=name, relation="works in", object=place) for name, place in (("Dana", "Pune"), ("Kim", "Ulm"))
)


def test_rest_is_read_in_at_most_four_calls() -> None:
    reads = Mock(side_effect=[(), [DANA]])
    assert read_sentence("As everybody knows, Dana works in Pune", reads, ME) == ()
    reads.assert_called_once_with("As everybody knows, Dana works in Pune", ME)
    reads = Mock(side_effect=[[DANA], [KIM], ()])
    text = "Dana works in Pune, Kim works in Ulm, and so on"
    assert read_sentence(text, reads, ME) == (DANA, KIM)
    assert reads.mock_calls[:2] == [call(text, ME), call("Kim works in Ulm, and so on", ME)]
    many = Mock(side_effect=[[DANA.model_copy(update={"subject": f"D{number}"})] for number in range(50)])
    read_sentence(", ".join("word" for _ in range(50)), many, ME)
    assert many.call_count <= 4


def test_text_is_read_by_rule() -> None:
    reads = partial(read_by_rule, Reasoner(LANGUAGES))
    text = "If so, my manager is Dana. My manager is Dana.\nDana Pune mein rehti hai। What else?"
    read = {sentence: [triple.line for triple in read_sentence(sentence, reads, ME)] for sentence in sentences_of(text)}
    assert read == {
        "If so, my manager is Dana.": [],
        "My manager is Dana.": ["I | manager | Dana"],
        "Dana Pune mein rehti hai।": ["Dana | mein rehna | Pune"],
        "What else?": [],
    }


def test_abbreviation_ends_no_sentence() -> None:
    told = ["Dr. Mehta works in Pune.", "J. K. Rowling lives in Leeds!", "So do I.", "डॉ. मेहता पुणे में हैं।", "Ask Dr."]
    assert sentences_of(f"{' '.join(told)}\nThis is next.") == [*told, "This is next."]


@given(st.text())
def test_sentences_hold_the_whole_text(text: str) -> None:
    assert "".join("".join(sentences_of(text)).split()) == "".join(text.split())


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
