"""Corrections in plain words, in the languages people mix; and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.feedback.clarifications import clarification
from assistant.feedback.corrections import correction_in, is_closing
from assistant.types import Reply, Turn

CORRECTIONS = [
    ("no, I meant a synonym", "a synonym"),
    ("I meant the river, not the money", "the river, not the money"),
    ("you got it wrong, I ment a synonym", "a synonym"),
    ("arre nahi, mera matlab tha ki ulta batao", "ulta batao"),
    ("nahi yaar, mujhe ulta shabd chahiye tha", "ulta shabd"),
    ("नहीं, मेरा मतलब उल्टा शब्द", "उल्टा शब्द"),
    ("ਮੇਰਾ ਮਤਲਬ ਸੀ ਉਲਟਾ", "ਉਲਟਾ"),
]
NO_CORRECTIONS = [
    "no, that's all, thanks",
    "no, I meant to say thank you so much",
    "no problem",
    "nahi, kuch nahi chahiye",
    "ਨਹੀਂ, ਬੱਸ",
    "No idea what that is",
    "mera matlab kya hai?",
    "I wanted to know the capital of France",
    "",
    # New questions and small talk.
    "I mean, what is the capital of France?",
    "Sorry, I need help with something else: how do I cook dal?",
    "No, when I ask my boss for a raise what should I say?",
    "nahi, mujhe ek joke chahiye",
    "no wait, what is the capital of France?",
]


@pytest.mark.parametrize(("message", "meant"), CORRECTIONS)
def test_what_was_meant_is_found(message: str, meant: str) -> None:
    found = correction_in(message)
    assert found
    assert found.meant == meant


@pytest.mark.parametrize("message", NO_CORRECTIONS)
def test_what_only_looks_like_a_correction_is_none(message: str) -> None:
    assert correction_in(message) is None


@pytest.mark.parametrize(
    ("message", "overrules"),
    [
        ("no, I meant a synonym", True),
        ("ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ ਉਲਟਾ ਸ਼ਬਦ", True),
        ("I meant the river, not the money", False),
        ("Nope. I wanted a word that sounds the same", False),
    ],
)
def test_only_a_denial_with_what_was_meant_overrules_a_model(message: str, overrules: bool) -> None:
    found = correction_in(message)
    assert found
    assert found.is_certain is overrules


@pytest.mark.parametrize(("message", "closes"), [("no, that's all, thanks", True), ("no, the river", False)])
def test_closing_words_close(message: str, closes: bool) -> None:
    assert is_closing(message) is closes


@given(st.text(max_size=80))
def test_any_message_can_be_looked_at(message: str) -> None:
    found = correction_in(message)
    assert found is None or found.meant.strip()


def test_the_same_words_for_the_same_turn_have_the_same_idempotency_key() -> None:
    turn = Turn(id="t", conversation="c", person="p", question="q", reply=Reply.of(raw="", understanding="wrong"))
    one, same = clarification(turn, "A  synonym"), clarification(turn, "a synonym")
    assert one.idempotency_key == same.idempotency_key
    assert one.idempotency_key != clarification(turn, "an antonym").idempotency_key
    assert (one.question, one.text, one.wrong_understanding, one.turn) == ("q", "A  synonym", "wrong", "t")
