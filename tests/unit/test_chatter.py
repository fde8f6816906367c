"""What is said around a question is left out, and nothing that belongs to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.chatter import chatter_costs, without_chatter

KNOWN = "what could stand in for ▢ ?"
SLOT_FIRST = "▢ ka jodidar kya hai ?"

LEFT_OUT = [
    ("quick doubt what could stand in for brave ?", KNOWN, 2),
    ("for my homework, what could stand in for brave ?", KNOWN, 3),
    ("hey, brave ka jodidar kya hai", SLOT_FIRST, 1),
    ("ek baat hai brave ka jodidar kya hai", SLOT_FIRST, 3),
    ("brave ka jodidar kya hai, exam kal hai", SLOT_FIRST, 3),
    ("brave ka jodidar kya hai test hai", SLOT_FIRST, 2),
    ("exam tomorrow — opposite of brave", "opposite of ▢", 2),
    ("exam tomorrow , opposite of brave", "opposite of ▢", 2),
    ("opposite of brave — exam tomorrow", "opposite of ▢", 2),
]
KEPT = [
    ("what could stand in for brave ?", KNOWN),
    ("what could not stand in for brave ?", KNOWN),
    ("why do you ask what could stand in for brave ?", KNOWN),  # another question
    ("never ask what could stand in for brave ?", KNOWN),
    ("purani film ka jodidar kya hai", SLOT_FIRST),  # which film
    ("meri us film ka jodidar kya hai", SLOT_FIRST),
    ("what could stand in for brave old men ?", KNOWN),
    ("show me ▢ in action", "show me Kohli in action from the last match"),
    ("one two three four five what could stand in for brave ?", KNOWN),  # a sentence of its own
    ("my router means trouble", "▢ means ?"),  # says too little
    ("the film ka jodidar kya hai", SLOT_FIRST),
    ("capital of St. Lucia", "capital of ▢"),  # no pause
    ("opposite of e.g. brave", "opposite of ▢"),
]


def _words_in(text: str) -> int:
    return sum(any(map(str.isalnum, piece)) for piece in text.split())


@pytest.mark.parametrize(("question", "known", "words"), LEFT_OUT)
def test_what_is_said_around_a_question_is_left_out(question: str, known: str, words: int) -> None:
    rest, left_out = without_chatter(question, known)
    assert left_out == words
    assert "brave" in rest
    assert _words_in(rest) == _words_in(question) - words


@pytest.mark.parametrize(("question", "known"), KEPT)
def test_what_may_belong_to_the_question_stays(question: str, known: str) -> None:
    assert without_chatter(question, known) == (question, 0)


def test_a_pause_of_the_known_question_is_none_around_it() -> None:
    question = "well, say brave but write it in some other way"
    assert without_chatter(question, "say ▢ but write it otherwise")[1] == 1
    assert without_chatter(question, "say ▢, but write it otherwise")[1] == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_is_left_is_a_part_of_the_question(question: str, known: str) -> None:
    rest, left_out = without_chatter(question, known)
    assert rest == question if left_out == 0 else set(rest.split()) <= set(question.split())
    assert 0 < chatter_costs(left_out) <= 1


def test_more_chatter_costs_more() -> None:
    costs = [chatter_costs(words) for words in range(6)]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) == len(costs)
