"""No fact, however short or odd, breaks an answer: neither as a sentence nor as a triple."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.kinds import Triple
from assistant.reasoning.chaining import Verdict
from assistant.reasoning.reasoner import Note, Reasoner
from memory_store.language.languages import LANGUAGES

pytestmark = pytest.mark.promise("odd-facts-break-nothing")

REASONER = Reasoner(LANGUAGES)
WORDS = (
    *("a", "A", "B", "the", "an", "of", "I", "my", "is", "in", "r", "no", "has", "can", "part", "and", "who", "not"),
    *(
        "Dana",
        "Goa",
        "blood",
        "group",
        "dog",
        "small",
        "works",
        "2",
        "'s",
        "…",
        "-",
        "me",
        "ki",
        "ka",
        "hai",
        "मैं",
        "ਦਾ",
    ),
)
sides = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
questions = (
    "Where is Goa?",
    "What is my blood group?",
    "Is Dana a dog?",
    "Who is Dana?",
    "a",
    "Dana ka blood group kya hai?",
)


@pytest.mark.parametrize(
    ("text", "line", "question"),
    [
        ("Ravi's grade is A", "Ravi | grade | A", "What is Ravi's grade?"),
        ("Dana's blood group is A", "Dana | blood group | A", "What is Dana's blood group?"),
    ],
)
def test_a_side_of_small_words_alone_is_named_by_them(text: str, line: str, question: str) -> None:
    triple = Triple.read(line)
    assert triple
    outcome = REASONER.outcome(question, [Note(text, triples=(triple,))])
    assert (outcome.verdict, outcome.words) == (Verdict.WORD, ("A",))


@pytest.mark.parametrize("line", ["a | r | a", "I | r | the", "Dana | of | of", "… | is | -", "the | manager of | a"])
@pytest.mark.parametrize("question", questions)
def test_a_triple_of_small_words_breaks_no_answer(line: str, question: str) -> None:
    triple = Triple.read(line)
    assert triple
    REASONER.outcome(question, [Note("My blood group is B", triples=(triple,))])


@settings(max_examples=300)
@given(sides, sides, sides, sides, st.sampled_from(questions) | sides, st.booleans())
def test_no_short_sentence_or_triple_breaks_an_answer(
    text: str, subject: str, relation: str, value: str, question: str, denied: bool
) -> None:
    triple = Triple(subject=subject, relation=relation, object=value)
    told = f"{text} {value}"
    proposed = REASONER.triples(told)
    REASONER.outcome(question, [Note(told, denied, proposed), Note(triple.line, triples=(triple,))])
