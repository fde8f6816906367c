"""What a model writes to look something up: read, written, and told why not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.papers.memllm.lookups import parse_lookup, split_lookups, written
from assistant.papers.memllm.sheet import Query

pytestmark = pytest.mark.promise("lookups-give-one-answer")

NAMES = (
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Z"), exclude_characters="|;"), max_size=20)
    .flatmap(lambda text: st.just(" ".join(split_lookups(text))))
    .filter(lambda name: name not in {"", "?"})
)
QUERIES = st.one_of(
    st.builds(Query, NAMES, NAMES, st.just("")),
    st.builds(Query, st.just(""), NAMES, NAMES),
)


@given(queries=st.lists(QUERIES, unique_by=written))
def test_each_of_several_reads_back(queries: list[Query]) -> None:
    assert [parse_lookup(text) for text in split_lookups("; ".join(map(written, queries)))] == queries


@given(text=st.text() | st.text("|?; \nthenab", max_size=30))
def test_any_text_is_a_query_or_none(text: str) -> None:
    for query in map(parse_lookup, split_lookups(text)):
        assert query is None or parse_lookup(written(query)) == query


@pytest.mark.parametrize(("text", "look"), [
    ("Dana | manager of | ?", Query("Dana", "manager of", "")),
    ("Dana|manager of", Query("Dana", "manager of", "")),
    ("Dana | manager of |", Query("Dana", "manager of", "")),
    ("? | capital of | France", Query("", "capital of", "France")),
])  # fmt: skip
def test_query_forms(text: str, look: Query) -> None:
    assert parse_lookup(text) == look


@pytest.mark.parametrize(
    "text",
    ["where does Dana work?", "a | b | c | d", "Dana | ? | Kim", "Dana | manager of | Kim", "? | manager of | ?"],
)
def test_text_without_query_is_none(text: str) -> None:
    assert parse_lookup(text) is None
