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
WORDS = "a A B the an of I my is in r no has can part and who not Dana Goa blood group dog 2 's … - me ki ka hai मैं ਦਾ"
sides = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=3).map(" ".join)
questions = st.sampled_from(["Where is Goa?", "What is my group?", "Is Dana a dog?", "Dana ka blood group kya hai?"])


def test_value_of_small_words_is_named() -> None:
    note = Note("Ravi's grade is A", triples=(Triple(subject="Ravi", relation="grade", object="A"),))
    outcome = REASONER.outcome("What is Ravi's grade?", [note])
    assert (outcome.verdict, outcome.words) == (Verdict.WORD, ("A",))


@settings(max_examples=300)
@given(sides, sides, sides, sides, questions | sides, st.booleans())
def test_no_sentence_or_triple_breaks_an_answer(
    text: str, subject: str, relation: str, value: str, question: str, denied: bool
) -> None:
    triple = Triple(subject=subject, relation=relation, object=value)
    told = f"{text} {value}"
    proposed = REASONER.triples(told)
    REASONER.outcome(question, [Note(told, denied, proposed), Note(triple.line, triples=(triple,))])
