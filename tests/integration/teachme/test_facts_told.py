"""Facts that were told are found over each other, and answer in another conversation, through the whole app."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.conversation import Assistant
from assistant.events import Finished
from assistant.kinds import FACT, Fact
from assistant.settings import Settings
from assistant.types import Action, Draft, Entry, Scope, Turn

pytestmark = pytest.mark.promise("facts-answer-elsewhere", "own-facts-come-first")

ME, OTHER = Scope("me"), Scope("somebody else")


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield services.assistant


def tell(assistant: Assistant, *facts: str, denied: bool = False) -> list[Entry]:
    bodies = [Fact(text=text, denied=denied) for text in facts]
    drafts = [Draft(FACT, said.text, said, FACT.idempotency_key(said.text, said)) for said in bodies]
    return [assistant.memory.remember(draft, ME) for draft in drafts]


def ask(assistant: Assistant, question: str, scope: Scope = ME) -> Turn:
    (turn,) = [event.turn for event in assistant.ask(question, scope, question) if isinstance(event, Finished)]
    return turn


def said(assistant: Assistant, message: str) -> Turn:
    """The turn of a message in one conversation."""
    return [event.turn for event in assistant.ask(message, ME, "c") if isinstance(event, Finished)][-1]


def test_rex_can_bark(assistant: Assistant) -> None:
    facts = tell(assistant, "Rex is a dog.", "Dogs can bark.")
    turn = ask(assistant, "Can Rex bark?")
    assert turn.reply.answer == "Yes."
    assert turn.reply.fields["because"] == ("Rex is a dog.", "Dogs can bark.")
    assert turn.used == tuple(fact.id for fact in facts)


def test_the_middle_of_a_chain_shares_no_word_with_the_question(assistant: Assistant) -> None:
    chain = tell(assistant, "Rex is a poodle.", "Poodles are hounds.", "Hounds are animals.", "Animals need water.")
    filler = [f"{name} is a {kind}." for name in ("Ann", "Ben", "Cleo", "Dev") for kind in ("guest", "pilot", "nurse")]
    tell(assistant, *filler)
    turn = ask(assistant, "does rex need water?")
    assert turn.reply.answer.startswith("Yes.")
    assert set(turn.used) == {fact.id for fact in chain}
    offered = [decision for decision in turn.decisions if decision.action is Action.OFFER]
    assert len(offered) <= 12


def test_another_language_and_script_finds_them_too(assistant: Assistant) -> None:
    tell(assistant, "Meera is my sister.", "मीरा दिल्ली में रहती है।")
    assert ask(assistant, "where does my sister live?").reply.answer.startswith("दिल्ली")


def test_a_restart_later_it_answers_other_wordings_and_another_script(tmp_path: Path) -> None:
    settings = Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})
    with closing(compose(settings)) as services:
        for message in ("remember that Rex is a dog", "dogs can bark", "याद रखना कि मीरा दिल्ली में रहती है"):
            ask(services.assistant, message)
    with closing(compose(settings)) as services:
        assert ask(services.assistant, "is Rex able to bark?").reply.answer.startswith("Yes.")
        assert ask(services.assistant, "Rex bark kar sakta hai kya?").reply.answer.startswith("Haan.")
        assert ask(services.assistant, "where does Meera live?").reply.answer.startswith("दिल्ली")


def test_denied_forgotten_or_paused_it_is_not_gone_by(assistant: Assistant) -> None:
    _, dogs = tell(assistant, "Rex is a dog.", "Dogs can bark.")
    assistant.memory.pause(dogs.id, ME)
    assert ask(assistant, "Can Rex bark?").reply.answer.startswith("I don't know")
    assistant.memory.resume(dogs.id, ME)
    assert ask(assistant, "Can Rex bark?").reply.answer.startswith("Yes")
    tell(assistant, "Rex is a dog.", denied=True)
    assert ask(assistant, "Can Rex bark?").reply.answer.startswith("I don't know")


def test_nobody_elses_facts_answer(assistant: Assistant) -> None:
    tell(assistant, "Rex is a dog.", "Dogs can bark.")
    turn = ask(assistant, "Can Rex bark?", OTHER)
    assert not turn.decisions
    assert "bark" not in turn.reply.answer


def test_forget_that_stops_what_was_told_last_and_what_it_replaced(assistant: Assistant) -> None:
    for message in ("my cat is Tom", "my pin is 11", "my pin is 22 now", "forget that"):
        said(assistant, message)
    assert "22" not in said(assistant, "what is my pin").reply.answer
    assert "11" not in said(assistant, "what is my pin").reply.answer
    assert said(assistant, "who is my cat").reply.answer == "Tom."


@pytest.mark.parametrize(
    ("facts", "question", "correction", "answer"),
    [
        (["my cat is Miso"], "what is my cat called", "we call her Tofu now", "Tofu"),
        (["my train is at 7 am"], "when is my train", "they moved it to 9 am", "9 am"),
        (["my door code is 5512"], "what's my door code", "oops, 5521", "5521"),
        (["mera boss Rohit hai"], "mera boss kaun hai", "Rohit nahi, Neha", "Neha"),
        (["my bike number is 2210", "my car number is 9087"], "what is my bike number", "I meant the car", "9087"),
    ],
)
def test_a_correction_puts_a_told_value_right(
    assistant: Assistant, facts: list[str], question: str, correction: str, answer: str
) -> None:
    tell(assistant, *facts)
    events = assistant.clarify(ask(assistant, question).id, correction, ME)
    (again,) = [event.turn for event in events if isinstance(event, Finished)]
    assert answer in again.reply.answer


def test_a_question_in_a_correction_gives_no_value(assistant: Assistant) -> None:
    tell(assistant, "maya is my sister")
    turn = ask(assistant, "who is maya?")
    (again,) = [event.turn for event in assistant.clarify(turn.id, "no, who's Lin", ME) if isinstance(event, Finished)]
    assert "Lin" not in again.reply.answer
