"""Classify messages: corrections, new values, facts and requests to forget; and the turn that one may correct."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.feedback.corrections import (
    Correction,
    find_corrected_turn,
    find_new_value,
    parse_correction,
    remove_denied,
    replace_denied_word,
)
from assistant.feedback.fact_messages import FactMessage, is_own_question, parse_fact_message, parse_forget_message
from assistant.types import Reply, Turn, TurnState
from memory_store.language.languages import LANGUAGES


def test_correction_is_found() -> None:
    assert parse_correction("no, I meant a synonym") == Correction("a synonym", is_certain=True)
    assert parse_correction("nahi yaar, mujhe ulta shabd chahiye tha") == Correction("ulta shabd", is_certain=False)
    assert parse_correction("नहीं, मेरा मतलब उल्टा शब्द") == Correction("उल्टा शब्द", is_certain=True)
    assert parse_correction("no, I meant to say thank you so much") is None
    assert parse_correction("No, when I ask my boss for a raise what should I say?") is None


def test_own_question_has_no_word_of_a_correction() -> None:
    assert is_own_question("btw is it safe to swim there?", LANGUAGES)
    assert is_own_question("bachiyan layi kehra bat changa hai", LANGUAGES)
    assert not is_own_question("not the money kind, which river bank?", LANGUAGES)
    assert not is_own_question("the place where I park, in front of the house", LANGUAGES)


@pytest.mark.promise("correction-never-worse")
def test_denied_part_is_left_out() -> None:
    assert remove_denied("not money, side of a river") == "side of a river"
    assert remove_denied("ਮਤਲਬ ਨਹੀਂ, ਉਲਟ") == "ਉਲਟ"
    assert remove_denied("not the direction") == ""


@pytest.mark.promise("correction-never-worse")
def test_new_value_is_found() -> None:
    assert find_new_value("not dana its priya", "Dana", "who is my manager?", LANGUAGES) == "priya"
    assert find_new_value("ab Ludhiane ch rehnde ne", "Patiala", "mere nanke kithe ne?", LANGUAGES) == "Ludhiane"
    assert find_new_value("Lin or Neha", "Dana", "who is my manager?", LANGUAGES) == ""


def test_denied_word_is_replaced() -> None:
    told = "my dentist is dr Alvarez"
    assert replace_denied_word("no wait, not Alvarez, Alvarado", told) == "my dentist is dr Alvarado"
    assert replace_denied_word("nahi, mera boss Sumit hai", "mera boss Amit hai") == ""


def test_told_fact_is_read() -> None:
    told = FactMessage("Rex is a dog", is_certain=True)
    assert parse_fact_message("remember that Rex is a dog.", LANGUAGES) == told
    assert parse_fact_message("remember when we met?", LANGUAGES) is None
    assert parse_fact_message("no, I meant that it is a river bank", LANGUAGES) is None


def test_wish_to_forget_names_its_words() -> None:
    assert parse_forget_message("forget that", LANGUAGES) == frozenset()
    wanted = frozenset(word.folded for word in LANGUAGES.words("ਤਾਲੇ ਕੋਡ"))
    assert parse_forget_message("ਤਾਲੇ ਦਾ ਕੋਡ ਭੁੱਲ ਜਾਓ", LANGUAGES) == wanted
    assert parse_forget_message("forget everything", LANGUAGES) is None
    assert parse_forget_message("eh gall bhull ja hun", LANGUAGES) == frozenset()
    assert parse_forget_message("भूल जाओ मेरी दवाई वाली बात", LANGUAGES)
    assert parse_forget_message("main bhool ja ta hu", LANGUAGES) is None


@given(st.text())
def test_any_message_can_be_read(message: str) -> None:
    told, found = parse_fact_message(message, LANGUAGES), parse_correction(message)
    assert told is None or "?" not in told.fact
    assert found is None or found.meant.strip()


ANSWERED, FAILED, STOPPED = TurnState.ANSWERED, TurnState.FAILED, TurnState.STOPPED
ASKED, MEANT = "what is akin to quick ?", "no, I meant a synonym"


def turn(number: int, question: str, state: TurnState) -> Turn:
    reply = Reply.of("", "You want a word.", "kwik") if state is ANSWERED else Reply("")
    return Turn(str(number), "c", "me", question, state=state, reply=reply)


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
