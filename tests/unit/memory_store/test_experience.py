from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.types import Entry, ReactionTo
from memory_store.recall.features import kind_similarity, reactions_like
from tests.support.entries import made_entry

QUESTIONS = st.one_of(
    st.sampled_from(["what is akin to quick ?", "what is akin to big", "what is unlike big", "kal kya hua tha?", ""]),
    st.text(max_size=40),
)
REACTIONS = st.lists(st.builds(ReactionTo, QUESTIONS, st.booleans()), max_size=6)


def an_entry(reactions: list[ReactionTo]) -> Entry:
    return made_entry(reactions=tuple(reactions))


@pytest.mark.parametrize(("question", "alike"), [
    ("what is akin to enormous ?", True), ("wat is akin to enormous", True), ("what is unlike quick ?", False),
    ("use quick in a sentence", False), ("cold se bilkul alag kya hai", False),
])  # fmt: skip
def test_a_reaction_weighs_for_its_kind_of_question(question: str, alike: bool) -> None:
    entry = an_entry([ReactionTo("what is akin to quick ?", helped=False)])
    helped, hurt = reactions_like(question, entry)
    assert helped == 0
    assert (hurt > 0.4) if alike else (hurt == 0)


@given(QUESTIONS, REACTIONS, st.booleans())
def test_one_more_reaction_to_the_same_question_only_raises_its_own_number(
    question: str, reactions: list[ReactionTo], helped: bool
) -> None:
    before = reactions_like(question, an_entry(reactions))
    after = reactions_like(question, an_entry([ReactionTo(question, helped), *reactions]))
    own, other = (0, 1) if helped else (1, 0)
    assert all(0 <= number < 1 for number in (*before, *after))
    assert after[own] > before[own]
    assert after[other] == before[other]


@given(QUESTIONS, QUESTIONS)
def test_likeness_of_kind_has_no_direction(first: str, second: str) -> None:
    assert 0 <= kind_similarity(first, second) <= 1
    assert kind_similarity(first, second) == kind_similarity(second, first)
    assert kind_similarity(first, first) == 1
