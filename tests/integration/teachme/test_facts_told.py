"""Told facts answer in another conversation, and what is said of them changes the answer; by the whole app."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.kinds import FACT, Fact, Place
from assistant.papers.teachme.teaching import Act, Teaching, disputing
from assistant.settings import Settings
from assistant.types import Action, Draft, Entry, Turn
from tests.support.memory.loop import ME, last

pytestmark = pytest.mark.promise("facts-answer-elsewhere", "blocked-steps-stay-blocked")

REX = ("Rex is a dog.", "Dogs can bark.")
WHERE = "where does my manager work?"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})


@pytest.fixture
def teaching(settings: Settings) -> Iterator[Teaching]:
    with closing(compose(settings)) as services:
        yield Teaching(services.assistant)


def tell(teaching: Teaching, *facts: str, denied: bool = False) -> list[Entry]:
    bodies = [Fact(text=text, denied=denied) for text in facts]
    drafts = [Draft(FACT, said.text, said, FACT.idempotency_key(said.text, said)) for said in bodies]
    return [teaching.assistant.memory.remember(draft, ME) for draft in drafts]


def ask(teaching: Teaching, question: str, conversation: str = "") -> Turn:
    return last(teaching.assistant.ask(question, ME, conversation or question))


def test_chain_of_facts_answers(teaching: Teaching) -> None:
    """The middle of the chain shares no word with the question."""
    chain = tell(teaching, "Rex is a poodle.", "Poodles are hounds.", "Hounds are animals.", "Animals need water.")
    filler = [f"{name} is a {kind}." for name in ("Ann", "Ben", "Cleo", "Dev") for kind in ("guest", "pilot", "nurse")]
    tell(teaching, *filler)
    turn = ask(teaching, "does rex need water?")
    assert turn.reply.answer.startswith("Yes.")
    assert set(turn.used) == {fact.id for fact in chain}
    assert len(turn.entries_to(Action.OFFER)) <= 12


def test_facts_answer_in_other_words_after_a_restart(settings: Settings) -> None:
    with closing(compose(settings)) as services:
        for message in ("remember that Rex is a dog", "dogs can bark", "याद रखना कि मीरा दिल्ली में रहती है"):
            ask(Teaching(services.assistant), message)
    with closing(compose(settings)) as services:
        teaching = Teaching(services.assistant)
        assert ask(teaching, "is Rex able to bark?").reply.answer.startswith("Yes.")
        assert ask(teaching, "Rex bark kar sakta hai kya?").reply.answer.startswith("Haan.")
        assert ask(teaching, "where does Meera live?").reply.answer.startswith("दिल्ली")


def test_denied_or_paused_fact_does_not_answer(teaching: Teaching) -> None:
    _, dogs = tell(teaching, *REX)
    teaching.assistant.memory.pause(dogs.id, ME)
    assert ask(teaching, "Can Rex bark?").reply.answer.startswith("I don't know")
    teaching.assistant.memory.resume(dogs.id, ME)
    assert ask(teaching, "Can Rex bark?").reply.answer.startswith("Yes")
    tell(teaching, "Rex is a dog.", denied=True)
    assert ask(teaching, "Can Rex bark?").reply.answer.startswith("I don't know")


def test_forget_that_takes_back_the_last_fact(teaching: Teaching) -> None:
    for message in ("my cat is Tom", "my pin is 11", "my pin is 22 now", "forget that"):
        ask(teaching, message, "c")
    answer = ask(teaching, "what is my pin", "c").reply.answer
    assert "22" not in answer
    assert "11" not in answer
    assert ask(teaching, "who is my cat", "c").reply.answer == "Tom."


@pytest.mark.parametrize(
    ("facts", "question", "correction", "answer"),
    [
        (["mera boss Rohit hai"], "mera boss kaun hai", "Rohit nahi, Neha", "Neha"),
        (["my bike number is 2210", "my car number is 9087"], "what is my bike number", "I meant the car", "9087"),
    ],
)
def test_correction_puts_a_value_right(
    teaching: Teaching, facts: list[str], question: str, correction: str, answer: str
) -> None:
    tell(teaching, *facts)
    again = last(teaching.assistant.clarify(ask(teaching, question).id, correction, ME))
    assert answer in again.reply.answer


def test_blocked_step_is_used_for_no_later_question(teaching: Teaching) -> None:
    tell(teaching, *REX)
    turn = ask(teaching, "can Rex bark?")
    assert turn.reply.fields["because"] == REX
    blocked = last(teaching.dispute(turn.id, Act.DOES_NOT_FOLLOW, ME)).clarified_with
    for again in ("can Rex bark?", "Rex bark kar sakta hai kya?"):
        assert "because" not in ask(teaching, again, f"another, {again}").reply.fields
    assert ask(teaching, "is Rex a dog?", "a third").reply.fields["because"]
    assert blocked
    teaching.undo(blocked, ME)
    assert ask(teaching, "Rex bark kar sakta hai kya?", "a fourth").reply.fields["because"]


def test_contradiction_is_told_with_its_reason(teaching: Teaching) -> None:
    older, newer = tell(teaching, "the office closes at 6", "the office closes at 5")
    teaching.assistant.put(newer.id, Place.BESIDE, older.id, ME, "on Fridays it is 5")
    turn = ask(teaching, "when does the office close?")
    both = "the office closes at 5 (on Fridays it is 5) and the office closes at 6"
    assert turn.reply.answer == f"I was told both: {both}."
    assert not disputing(turn)


def test_given_answer_is_for_its_question_alone(teaching: Teaching) -> None:
    tell(teaching, "my manager is Dana", "Dana works in Pune")
    again = last(teaching.dispute(ask(teaching, WHERE).id, Act.ANSWER, ME, words="Delhi"))
    assert again.reply.answer == ask(teaching, WHERE, "another").reply.answer == "You told me: Delhi."
    assert ask(teaching, "where does Dana work?", "another").reply.answer == "Pune."
    assert again.clarified_with
    teaching.undo(again.clarified_with, ME)
    assert ask(teaching, WHERE, "a third").reply.answer.startswith("Pune.")
