"""The embedded model answers from facts that stand in its prompt, in the language and script of the question."""

import pytest

from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.papers.teachme.facts import TAUGHT
from assistant.prompt.envelope import Row, write_block
from assistant.reply.grammar import NONE_FOLLOWED
from assistant.reply.parser import parse_reply
from assistant.types import Message, Reply, Role
from memory_store.language.languages import LANGUAGES

MODEL = EmbeddedModel(LANGUAGES)


def ask(question: str, *facts: str, said: str = "") -> Reply:
    """The reply; a fact after "!" is denied."""
    rows: list[Row] = [
        {"note": number, "not true" if fact.startswith("!") else "true": fact.lstrip("!")}
        for number, fact in enumerate(facts, 1)
    ]
    blocks = write_block("offered", rows, b"0123456789abcdef") if rows else ""
    if said:
        row: Row = {"about": question, "said": said, "by": "you", "on": "2026-11-20"}
        blocks += write_block("clarification", [row], b"0123456789abcdef")
    content = f"{blocks}Question: {question}"
    return parse_reply("".join(MODEL.stream([Message(Role.USER, content)])), TAUGHT)


def test_answer_names_notes_and_reasons() -> None:
    reply = ask("Can Rex bark?", "Dogs can bark.", "Cats drink milk.", "Rex is a dog.")
    assert reply.answer == "Yes."
    assert [*reply.notes] == [3, 1]
    assert reply.fields["because"] == ("Rex is a dog.", "Dogs can bark.")
    assert "Can Rex bark?" in reply.understanding


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        ("can pingu fly?", ("Pingu is a penguin.", "Penguins cannot fly."), "No."),
        ("मेरा मामा कहाँ रहता है?", ("मोहन मेरा मामा है।", "मोहन पटना में रहता है।"), "पटना।"),
        ("is rex a cat?", ("!Rex is a cat.",), "No."),
    ],
)
def test_answer_is_in_the_language_asked(question: str, facts: tuple[str, ...], answer: str) -> None:
    assert ask(question, *facts).answer == answer


def test_conflicting_facts_are_both_said() -> None:
    reply = ask("can rex bark?", "Rex can bark.", "Rex cannot bark.")
    assert reply.answer.endswith("Rex can bark and Rex cannot bark. Which is right?")
    assert [*reply.notes] == [1, 2]


def test_unknown_fact_is_said() -> None:
    assert ask("can rex fly?", "Rex is a dog.", "Dogs can bark.").answer.startswith("I don't know that yet.")
    reply = ask("what about the rent this month?", "the rent's due on the 5th")
    assert (reply.answer, [*reply.notes]) == ("You told me: the rent's due on the 5th.", [1])
    assert ask("who is my boss?", "Dana is my manager.").answer.startswith("I don't know that")


def test_facts_change_no_word_question() -> None:
    question = "what is the opposite of hot?"
    assert ask(question, "Rex is a dog.", "Dogs can bark.") == ask(question)
    assert ask("what is the time?", "Rex is a dog.").understanding == NOT_UNDERSTOOD


def test_statement_is_noted() -> None:
    reply = ask("राकेश वकील है।")
    assert (reply.understanding, reply.fields["fact"]) == ("आपने बताया कि राकेश वकील है।", ("राकेश वकील है",))


def test_correction_that_fails_leaves_the_facts() -> None:
    question, fact = "what about the rent this month?", "the rent's due on the 5th"
    reply = ask(question, fact, said="!!!")
    assert reply.raw.startswith(NONE_FOLLOWED)
    assert reply.answer == ask(question, fact).answer == f"You told me: {fact}."
