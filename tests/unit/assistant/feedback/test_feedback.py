"""Corrections in plain words, in the languages people mix; and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.feedback.clarifications import clarification
from assistant.feedback.corrections import correction_in, is_closing
from assistant.types import Reply, Turn


@pytest.mark.parametrize(
    ("message", "meant", "is_certain"),
    [
        ("no, I meant a synonym", "a synonym", True),
        ("I meant the river, not the money", "the river, not the money", False),
        ("nahi yaar, mujhe ulta shabd chahiye tha", "ulta shabd", False),
        ("नहीं, मेरा मतलब उल्टा शब्द", "उल्टा शब्द", True),
        ("ਮੇਰਾ ਮਤਲਬ ਸੀ ਉਲਟਾ", "ਉਲਟਾ", False),
    ],
)
def test_correction_is_found(message: str, meant: str, is_certain: bool) -> None:
    found = correction_in(message)
    assert found
    assert (found.meant, found.is_certain) == (meant, is_certain)


@pytest.mark.parametrize(
    "message",
    [
        "no, that's all, thanks",
        "no, I meant to say thank you so much",
        "ਨਹੀਂ, ਬੱਸ",
        "mera matlab kya hai?",
        "I mean, what is the capital of France?",
        "No, when I ask my boss for a raise what should I say?",
        "nahi, mujhe ek joke chahiye",
        "",
    ],
)
def test_look_alike_of_a_correction_is_none(message: str) -> None:
    assert correction_in(message) is None


@pytest.mark.parametrize(("message", "closes"), [("no, that's all, thanks", True), ("no, the river", False)])
def test_closing_words_close(message: str, closes: bool) -> None:
    assert is_closing(message) is closes


@given(st.text(max_size=80))
def test_any_message_can_be_read(message: str) -> None:
    found = correction_in(message)
    assert found is None or found.meant.strip()


def test_same_words_have_the_same_idempotency_key() -> None:
    turn = Turn(id="t", conversation="c", person="p", question="q", reply=Reply.of(raw="", understanding="wrong"))
    one, same = clarification(turn, "A  synonym"), clarification(turn, "a synonym")
    assert one.idempotency_key == same.idempotency_key
    assert one.idempotency_key != clarification(turn, "an antonym").idempotency_key
    assert (one.question, one.text, one.wrong_understanding, one.turn) == ("q", "A  synonym", "wrong", "t")
