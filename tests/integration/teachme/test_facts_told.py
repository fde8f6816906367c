"""Facts that were told are found over each other, and answer in another conversation, through the whole app."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.conversation import Assistant
from assistant.kinds import FACT, Fact
from assistant.settings import Settings
from assistant.types import Action, Draft, Entry, Scope, Turn
from tests.support.memory.loop import ME, OTHER, last

pytestmark = pytest.mark.promise("facts-answer-elsewhere", "own-facts-come-first")

REX = ("Rex is a dog.", "Dogs can bark.")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})


@pytest.fixture
def assistant(settings: Settings) -> Iterator[Assistant]:
    with closing(compose(settings)) as services:
        yield services.assistant


def tell(assistant: Assistant, *facts: str, denied: bool = False) -> list[Entry]:
    bodies = [Fact(text=text, denied=denied) for text in facts]
    drafts = [Draft(FACT, said.text, said, FACT.idempotency_key(said.text, said)) for said in bodies]
    return [assistant.memory.remember(draft, ME) for draft in drafts]


def ask(assistant: Assistant, question: str, scope: Scope = ME, conversation: str = "") -> Turn:
    return last(assistant.ask(question, scope, conversation or question))


def test_chain_of_facts_answers(assistant: Assistant) -> None:
    """The middle of the chain shares no word with the question."""
    chain = tell(assistant, "Rex is a poodle.", "Poodles are hounds.", "Hounds are animals.", "Animals need water.")
    filler = [f"{name} is a {kind}." for name in ("Ann", "Ben", "Cleo", "Dev") for kind in ("guest", "pilot", "nurse")]
    tell(assistant, *filler)
    turn = ask(assistant, "does rex need water?")
    assert turn.reply.answer.startswith("Yes.")
    assert set(turn.used) == {fact.id for fact in chain}
    assert len([decision for decision in turn.decisions if decision.action is Action.OFFER]) <= 12


def test_facts_answer_in_other_words_after_a_restart(settings: Settings) -> None:
    with closing(compose(settings)) as services:
        for message in ("remember that Rex is a dog", "dogs can bark", "याद रखना कि मीरा दिल्ली में रहती है"):
            ask(services.assistant, message)
    with closing(compose(settings)) as services:
        assert ask(services.assistant, "is Rex able to bark?").reply.answer.startswith("Yes.")
        assert ask(services.assistant, "Rex bark kar sakta hai kya?").reply.answer.startswith("Haan.")
        assert ask(services.assistant, "where does Meera live?").reply.answer.startswith("दिल्ली")


def test_denied_or_paused_fact_does_not_answer(assistant: Assistant) -> None:
    _, dogs = tell(assistant, *REX)
    assistant.memory.pause(dogs.id, ME)
    assert ask(assistant, "Can Rex bark?").reply.answer.startswith("I don't know")
    assistant.memory.resume(dogs.id, ME)
    assert ask(assistant, "Can Rex bark?").reply.answer.startswith("Yes")
    tell(assistant, "Rex is a dog.", denied=True)
    assert ask(assistant, "Can Rex bark?").reply.answer.startswith("I don't know")


def test_foreign_facts_do_not_answer(assistant: Assistant) -> None:
    tell(assistant, *REX)
    turn = ask(assistant, "Can Rex bark?", OTHER)
    assert not turn.decisions
    assert "bark" not in turn.reply.answer


def test_forget_that_takes_back_the_last_fact(assistant: Assistant) -> None:
    for message in ("my cat is Tom", "my pin is 11", "my pin is 22 now", "forget that"):
        ask(assistant, message, conversation="c")
    answer = ask(assistant, "what is my pin", conversation="c").reply.answer
    assert "22" not in answer
    assert "11" not in answer
    assert ask(assistant, "who is my cat", conversation="c").reply.answer == "Tom."


@pytest.mark.parametrize(
    ("facts", "question", "correction", "answer"),
    [
        (["mera boss Rohit hai"], "mera boss kaun hai", "Rohit nahi, Neha", "Neha"),
        (["my bike number is 2210", "my car number is 9087"], "what is my bike number", "I meant the car", "9087"),
    ],
)
def test_correction_puts_a_value_right(
    assistant: Assistant, facts: list[str], question: str, correction: str, answer: str
) -> None:
    tell(assistant, *facts)
    again = last(assistant.clarify(ask(assistant, question).id, correction, ME))
    assert answer in again.reply.answer
