"""What a model writes to look something up: read, written, and told why not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.papers.memllm.lookups import Look, Malformed, Step, looks_in, read_look
from assistant.papers.memllm.sheet import Query

pytestmark = pytest.mark.promise("lookups-give-one-answer")

NAMES = (
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Z"), exclude_characters="|;"), max_size=20)
    .flatmap(lambda text: st.just(" ".join(looks_in(text))))
    .filter(lambda name: name not in {"", "?"} and not name.casefold().endswith("then"))
)
QUERIES = st.one_of(
    st.builds(Query, NAMES, NAMES, st.just("")),
    st.builds(Query, st.just(""), NAMES, NAMES),
)
LOOKS = st.builds(Look, QUERIES, st.none() | st.builds(Step, NAMES, st.booleans()))


@given(look=LOOKS)
def test_what_is_written_reads_back(look: Look) -> None:
    assert read_look(str(look)) == look


@given(looks=st.lists(LOOKS, unique_by=str))
def test_several_read_back_each(looks: list[Look]) -> None:
    assert [read_look(text) for text in looks_in("; ".join(map(str, looks)))] == looks


def outcome(text: str) -> str:
    try:
        return str(read_look(text))
    except Malformed as why:
        return str(why)


@given(text=st.text() | st.text("|?; \nthenab", max_size=30))
def test_any_other_text_is_a_look_or_says_why_not(text: str) -> None:
    for part in looks_in(text):
        assert outcome(part).count("|") >= 1 or outcome(part).endswith(".")


@pytest.mark.parametrize(("text", "look"), [
    ("Dana | manager of | ?", Look(Query("Dana", "manager of", ""))),
    ("Dana|manager of", Look(Query("Dana", "manager of", ""))),
    ("Dana | manager of |", Look(Query("Dana", "manager of", ""))),
    ("? | capital of | France", Look(Query("", "capital of", "France"))),
    ("Dana | manager of | ? then ? | works in | ?", Look(Query("Dana", "manager of", ""), Step("works in"))),
    ("? | manager of | Kim THEN ? | works in", Look(Query("", "manager of", "Kim"), Step("works in"))),
    ("Dana | lives in | ? then | lives in | ?",
     Look(Query("Dana", "lives in", ""), Step("lives in", of_object=True))),
    ("Now and then | sold by | ?", Look(Query("Now and then", "sold by", ""))),
])  # fmt: skip
def test_forms(text: str, look: Look) -> None:
    assert read_look(text) == look


@pytest.mark.parametrize(("text", "why"), [
    ("where does Dana work?", "subject | relation | object"),
    ("a | b | c | d", "subject | relation | object"),
    ("Dana | ? | Kim", "Name the relation"),
    ("Dana | manager of | Kim", "Name one side"),
    ("? | manager of | ?", "Name one side"),
    ("Dana | manager of | ? then Kim | works in | ?", "object"),
    ("Dana | manager of | ? then ? | works in | Pune", "After “then”"),
    ("Dana | manager of | ? then ? | works in | ? then ? | part of | ?", "subject | relation | object"),
])  # fmt: skip
def test_what_cannot_be_looked_up_says_why(text: str, why: str) -> None:
    with pytest.raises(Malformed, match=why.replace("|", r"\|")):
        read_look(text)
