"""What is said of the reasons of the embedded model changes its answer, until it is taken back; by the whole app."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.events import Finished
from assistant.kinds import Place
from assistant.papers.teachme.teaching import Act, Teaching, disputing
from assistant.settings import Settings
from assistant.types import Scope, Turn

pytestmark = pytest.mark.promise("blocked-steps-stay-blocked")

ME = Scope("me")
QUESTION = "where does my manager work?"
TALKS = {
    "English": (("my manager is Dana", "Dana works in Pune"), QUESTION, "Pune.", "You told me: Delhi."),
    "Hinglish": (
        ("mera manager Dana hai", "Dana Pune mein kaam karti hai"),
        "mera manager kahan kaam karta hai?",
        "Pune.",
        "Aapne mujhe bataya: Delhi.",
    ),
}


@pytest.fixture
def teaching(tmp_path: Path) -> Iterator[Teaching]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield Teaching(services.assistant)


def ask(teaching: Teaching, message: str, conversation: str = "c") -> Turn:
    events = teaching.assistant.ask(message, ME, conversation)
    return next(event.turn for event in events if isinstance(event, Finished))


def disputed(teaching: Teaching, turn: Turn, act: Act, words: str = "") -> Turn:
    events = teaching.dispute(turn.id, act, ME, words=words)
    return [event.turn for event in events if isinstance(event, Finished)][-1]


@pytest.mark.parametrize("talk", TALKS.values(), ids=list(TALKS))
def test_what_does_not_follow_is_not_answered_again_until_that_is_taken_back(
    teaching: Teaching, talk: tuple[tuple[str, ...], str, str, str]
) -> None:
    told, question, answer, _ = talk
    for fact in told:
        ask(teaching, fact)
    turn = ask(teaching, question)
    assert turn.reply.answer.startswith(answer)
    again = disputed(teaching, turn, Act.DOES_NOT_FOLLOW)
    assert answer not in again.reply.answer
    assert again.clarified_with
    teaching.undo(again.clarified_with, ME)
    assert ask(teaching, question, "another").reply.answer.startswith(answer)


@pytest.mark.parametrize(
    ("told", "question", "later", "another"),
    [
        (("Rex is a dog", "dogs can bark"), "can Rex bark?", "Rex bark kar sakta hai kya?", "is Rex a dog?"),
        (("Rex kutta hai", "kutte bhaunk sakte hain"), "kya Rex bhaunk sakta hai?", "can Rex bark?", "is Rex a dog?"),
    ],
)
def test_a_step_that_was_blocked_is_gone_by_in_no_later_question_in_whatever_words(
    teaching: Teaching, told: tuple[str, ...], question: str, later: str, another: str
) -> None:
    for fact in told:
        ask(teaching, fact)
    turn = ask(teaching, question)
    assert turn.reply.fields["because"]
    blocked = disputed(teaching, turn, Act.DOES_NOT_FOLLOW).clarified_with
    for again in (question, later):
        assert "because" not in ask(teaching, again, f"another, {again}").reply.fields
    assert ask(teaching, another, "a third").reply.fields["because"]
    assert blocked
    teaching.undo(blocked, ME)
    assert ask(teaching, later, "a fourth").reply.fields["because"]


def test_what_contradicts_and_counts_all_the_same_is_said_with_its_reason(teaching: Teaching) -> None:
    for fact in ("the office closes at 6", "the office closes at 5"):
        ask(teaching, fact)
    newer, older = teaching.assistant.memory.entries(ME)
    teaching.assistant.put(newer.id, Place.BESIDE, older.id, ME, "on Fridays it is 5")
    turn = ask(teaching, "when does the office close?", "another")
    told = "the office closes at 5 (on Fridays it is 5) and the office closes at 6"
    assert turn.reply.answer == f"I was told both: {told}."
    assert not disputing(turn)


def test_another_proof_stands_where_one_does_not(teaching: Teaching) -> None:
    for fact in ("Rex is a dog.", "Dogs can bark.", "Rex can bark."):
        ask(teaching, fact)
    turn = ask(teaching, "can Rex bark?")
    assert (turn.reply.answer, turn.reply.fields["because"]) == ("Yes.", ("Rex can bark",))
    again = disputed(teaching, turn, Act.DOES_NOT_FOLLOW)
    assert (again.reply.answer, again.reply.fields["because"]) == ("Yes.", ("Rex is a dog", "Dogs can bark"))


def test_what_does_not_go_together_is_no_proof_and_one_of_it_is_put_right(teaching: Teaching) -> None:
    for fact in ("my manager is Dana", "Dana works in Pune", "Dana works in Agra"):
        ask(teaching, fact)
    turn = ask(teaching, QUESTION)
    reasons = teaching.reasons(turn, ME)
    assert reasons
    assert (reasons.verdict.code, reasons.proves, disputing(turn)) == ("why.disputed", False, (2, 3))
    wrong = [premise.text for premise in reasons.premises].index("Dana works in Agra") + 1
    events = teaching.dispute(turn.id, Act.WRONG, ME, premise=wrong)
    again = [event.turn for event in events if isinstance(event, Finished)][-1]
    assert again.reply.answer == "Pune."


@pytest.mark.parametrize("talk", TALKS.values(), ids=list(TALKS))
def test_what_was_said_to_be_the_answer_is_that_of_this_question_and_no_other(
    teaching: Teaching, talk: tuple[tuple[str, ...], str, str, str]
) -> None:
    told, question, answer, said = talk
    for fact in told:
        ask(teaching, fact)
    again = disputed(teaching, ask(teaching, question), Act.ANSWER, "Delhi")
    assert again.reply.answer == said
    assert ask(teaching, question, "another").reply.answer == said
    assert ask(teaching, "where does Dana work?", "another").reply.answer == "Pune."
    assert again.clarified_with
    teaching.undo(again.clarified_with, ME)
    assert ask(teaching, question, "a third").reply.answer.startswith(answer)
