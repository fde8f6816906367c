"""Classify messages: corrections, new values, facts and requests to forget; and the turn that one may correct."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.feedback.completing import complete_change
from assistant.feedback.corrections import find_corrected_turn, parse_correction
from assistant.feedback.fact_messages import FactMessage, is_own_question, parse_fact_message, parse_forget_message
from assistant.feedback.values import find_new_value, remove_denied
from assistant.reasoning.reasoner import Reasoner
from assistant.types import Reply, Turn, TurnState
from memory_store.language.languages import LANGUAGES

REASONER = Reasoner(LANGUAGES)


@pytest.mark.parametrize(
    ("message", "meant", "is_certain"),
    [
        ("no, I meant a synonym", "a synonym", True),
        ("nahi yaar, mujhe ulta shabd chahiye tha", "ulta shabd", False),
        ("नहीं, मेरा मतलब उल्टा शब्द", "उल्टा शब्द", True),
    ],
)
def test_correction_is_found(message: str, meant: str, is_certain: bool) -> None:
    found = parse_correction(message)
    assert found
    assert (found.meant, found.is_certain) == (meant, is_certain)


@pytest.mark.parametrize(
    "message",
    [
        "no, I meant to say thank you so much",
        "No, when I ask my boss for a raise what should I say?",
        "",
    ],
)
def test_look_alike_of_a_correction_is_none(message: str) -> None:
    assert parse_correction(message) is None


@pytest.mark.parametrize(
    ("message", "is_one"),
    [
        ("btw is it safe to swim there?", True),
        ("bachiyan layi kehra bat changa hai", True),
        ("not the money kind, which river bank?", False),
        ("the place where I park, in front of the house", False),
    ],
)
def test_own_question_has_no_word_of_a_correction(message: str, is_one: bool) -> None:
    assert is_own_question(message, LANGUAGES) is is_one


@pytest.mark.promise("correction-never-worse")
@pytest.mark.parametrize(
    ("said", "left"),
    [("not money, side of a river", "side of a river"), ("ਮਤਲਬ ਨਹੀਂ, ਉਲਟ", "ਉਲਟ"), ("not the direction", "")],
)
def test_denied_part_is_left_out(said: str, left: str) -> None:
    assert remove_denied(said) == left


@pytest.mark.promise("correction-never-worse")
@pytest.mark.parametrize(
    ("said", "old", "question", "value"),
    [
        ("not dana its priya", "Dana", "who is my manager?", "priya"),
        ("ab Ludhiane ch rehnde ne", "Patiala", "mere nanke kithe ne?", "Ludhiane"),
        ("Lin or Neha", "Dana", "who is my manager?", ""),
    ],
)
def test_new_value_is_found(said: str, old: str, question: str, value: str) -> None:
    assert find_new_value(said, old, question, LANGUAGES) == value


@pytest.mark.parametrize(
    ("told", "message", "fact"),
    [
        ("my girl goes to Hill School", "we moved her, she goes to St Anns now", "my girl goes to St Anns"),
        ("mere vakeel da naa Brar aa", "hun vakeel badal gya, Sodhi aa", "mere vakeel da naa Sodhi aa"),
        ("my pin is 11", "my pin is 22 now", ""),
        ("mera boss Farhan hai", "Farhan ab Mysore mein rehta hai", ""),
    ],
)
def test_change_is_completed(told: str, message: str, fact: str) -> None:
    assert complete_change(message, told, REASONER) == fact


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("remember that Rex is a dog.", FactMessage("Rex is a dog", is_certain=True)),
        ("ਯਾਦ ਰੱਖੀਂ, ਮੇਰੀ ਭੈਣ ਨਰਸ ਹੈ", FactMessage("ਮੇਰੀ ਭੈਣ ਨਰਸ ਹੈ", is_certain=True)),
        ("remember when we met?", None),
        ("no, I meant that it is a river bank", None),
    ],
)
def test_told_fact_is_read(message: str, told: FactMessage | None) -> None:
    assert parse_fact_message(message, LANGUAGES) == told


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("forget that", ""),
        ("ਤਾਲੇ ਦਾ ਕੋਡ ਭੁੱਲ ਜਾਓ", "ਤਾਲੇ ਕੋਡ"),
        ("forget everything", None),
    ],
)
def test_wish_to_forget_names_its_words(message: str, wanted: str | None) -> None:
    folded = None if wanted is None else frozenset(word.folded for word in LANGUAGES.words(wanted))
    assert parse_forget_message(message, LANGUAGES) == folded


@given(st.text())
def test_any_message_can_be_read(message: str) -> None:
    told, found = parse_fact_message(message, LANGUAGES), parse_correction(message)
    assert told is None or "?" not in told.fact
    assert found is None or found.meant.strip()


ANSWERED, FAILED, STOPPED = TurnState.ANSWERED, TurnState.FAILED, TurnState.STOPPED
ASKED, MEANT = "what is akin to quick ?", "no, I meant a synonym"


def turn(number: int, question: str, state: TurnState, corrected_by: str | None = None) -> Turn:
    reply = Reply.of("", "You want a word.", "kwik") if state is ANSWERED else Reply("")
    return Turn(str(number), "c", "me", question, state=state, reply=reply, corrected_by=corrected_by)


@pytest.mark.parametrize(
    ("message", "turns", "place"),
    [
        (MEANT, [(ASKED, ANSWERED)], 0),
        (MEANT, [(ASKED, ANSWERED), (MEANT, STOPPED)], 0),  # repeated
        (MEANT, [(ASKED, ANSWERED), (MEANT, TurnState.CORRECTION)], 0),
        (MEANT, [(ASKED, ANSWERED), (ASKED, TurnState.RUNNING)], None),
        (MEANT, [(ASKED, TurnState.DELETED)], None),
    ],
)
def test_turn_to_correct_is_the_last_standing(
    message: str, turns: list[tuple[str, TurnState]], place: int | None
) -> None:
    earlier = [turn(number, question, state) for number, (question, state) in enumerate(turns)]
    assert find_corrected_turn(message, earlier) == (None if place is None else earlier[place])


def test_corrected_turn_is_not_corrected_again() -> None:
    assert find_corrected_turn(MEANT, [turn(0, ASKED, ANSWERED, corrected_by="e")]) is None
