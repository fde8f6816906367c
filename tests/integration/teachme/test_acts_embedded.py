"""What is said of the reasons of the embedded model changes its answer, until it is taken back; by the whole app."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.kinds import Place
from assistant.papers.teachme.teaching import Act, Teaching, disputing
from assistant.settings import Settings
from assistant.types import Turn
from tests.support.memory.loop import ME, last

pytestmark = pytest.mark.promise("blocked-steps-stay-blocked")

REX = ("Rex is a dog", "dogs can bark")
WHERE = "where does my manager work?"


@pytest.fixture
def teaching(tmp_path: Path) -> Iterator[Teaching]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield Teaching(services.assistant)


def ask(teaching: Teaching, message: str, conversation: str = "c") -> Turn:
    return last(teaching.assistant.ask(message, ME, conversation))


def told(teaching: Teaching, facts: tuple[str, ...], question: str) -> Turn:
    """Tell the facts one by one and ask the question."""
    for fact in facts:
        ask(teaching, fact)
    return ask(teaching, question)


def test_blocked_step_is_used_for_no_later_question(teaching: Teaching) -> None:
    turn = told(teaching, REX, "can Rex bark?")
    assert turn.reply.fields["because"]
    blocked = last(teaching.dispute(turn.id, Act.DOES_NOT_FOLLOW, ME)).clarified_with
    for again in ("can Rex bark?", "Rex bark kar sakta hai kya?"):
        assert "because" not in ask(teaching, again, f"another, {again}").reply.fields
    assert ask(teaching, "is Rex a dog?", "a third").reply.fields["because"]
    assert blocked
    teaching.undo(blocked, ME)
    assert ask(teaching, "Rex bark kar sakta hai kya?", "a fourth").reply.fields["because"]


def test_contradiction_is_told_with_its_reason(teaching: Teaching) -> None:
    for fact in ("the office closes at 6", "the office closes at 5"):
        ask(teaching, fact)
    newer, older = teaching.assistant.memory.entries(ME)
    teaching.assistant.put(newer.id, Place.BESIDE, older.id, ME, "on Fridays it is 5")
    turn = ask(teaching, "when does the office close?", "another")
    both = "the office closes at 5 (on Fridays it is 5) and the office closes at 6"
    assert turn.reply.answer == f"I was told both: {both}."
    assert not disputing(turn)


def test_given_answer_is_for_its_question_alone(teaching: Teaching) -> None:
    turn = told(teaching, ("my manager is Dana", "Dana works in Pune"), WHERE)
    again = last(teaching.dispute(turn.id, Act.ANSWER, ME, words="Delhi"))
    assert again.reply.answer == ask(teaching, WHERE, "another").reply.answer == "You told me: Delhi."
    assert ask(teaching, "where does Dana work?", "another").reply.answer == "Pune."
    assert again.clarified_with
    teaching.undo(again.clarified_with, ME)
    assert ask(teaching, WHERE, "a third").reply.answer.startswith("Pune.")
