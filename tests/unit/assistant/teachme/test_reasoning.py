"""Conclusions from simple sentences in three languages, and invalid ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.reasoning.chaining import Conclusion, Verdict
from assistant.reasoning.reasoner import Note, Reasoner
from memory_store.language.languages import LANGUAGES

REASONER = Reasoner(LANGUAGES)


def outcome(question: str, *facts: str) -> Conclusion:
    """Return the conclusion; a fact after "!" is denied."""
    return REASONER.outcome(question, [Note(fact.lstrip("!"), fact.startswith("!")) for fact in facts])


def said(question: str, *facts: str) -> str:
    found = outcome(question, *facts)
    return " / ".join(found.words) if found.verdict is Verdict.WORD else found.verdict.value


FLIES = ("Birds can fly.", "Penguins are birds.", "Penguins cannot fly.", "Pingu is a penguin.")
POODLE = ("Rex is a poodle.", "Poodles are dogs.", "Dogs can bark.", "Cats drink milk.")


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        # kinds, upwards only
        ("can rex bark?", POODLE, "yes"),
        ("is every dog a poodle?", POODLE, "unknown"),
        # exceptions beat the rule, denials beat facts
        ("can pingu fly?", FLIES, "no"),
        ("can rex bark?", (*POODLE, "Rex is not a poodle."), "disputed"),
        ("can rex bark?", (*POODLE, "!Rex is a poodle."), "unknown"),
        ("can rex bark?", (*POODLE, "!Rex can bark."), "no"),
        ("who is my boss's husband", ("Nisha is my boss.", "Vikram is Nisha's husband."), "Vikram"),
        # names; another person's things are not the user's
        ("Dana kahan rehti hai?", ("Dana ki behen Jaipur mein rehti hai",), "unknown"),
        ("what are my dogs called", ("i have a dog named Rex", "i've got another dog named Coco"), "Rex / Coco"),
        ("is pune in india?", ("पुणे महाराष्ट्र में है।", "Maharashtra is in India."), "yes"),
        # facts that ended or changed
        ("where does Kim work?", ("Kim works in Goa", "Kim doesn't work in Goa any more"), "unknown"),
        ("where does Dana live?", ("Dana works in Pune", "Dana moved to Delhi"), "Delhi"),
    ],
)
def test_answer_follows(question: str, facts: tuple[str, ...], answer: str) -> None:
    assert said(question, *facts) == answer


HELD = (
    "is are not no all some my of 's who what where how many the a part in has can Rex dog and that named ? , . hai ki "
    "ka mein kya kaun nahi ek mera मेरा है की ਹੈ 7 Ravi's i you it there ’ \u200d"
)
WORDS = st.sampled_from(HELD.split())
SENTENCES = st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=60)


@settings(max_examples=200, deadline=None)
@given(SENTENCES, st.lists(st.tuples(SENTENCES, st.booleans()), max_size=4))
def test_any_text_has_a_reading(question: str, told: list[tuple[str, bool]]) -> None:
    found = REASONER.outcome(question, [Note(text, denied) for text, denied in told])
    assert all(0 <= place < len(told) for place in (*found.rests_on, *found.about))
    assert REASONER.tells(question) in {True, False}


def test_proofs_are_bounded() -> None:
    chain = [f"Kind{at}x is a kind{at + 1}x." for at in range(150)]
    assert said("is kind0x a kind4x?", *chain) == "yes"
    assert said("is kind0x a kind9x?", *chain) == "unknown"
