"""Hypotheses, proofs and feedback: tolerant parsing, and the calls that make them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.papers.teachme import thinking
from assistant.papers.teachme.facts import Premise
from assistant.papers.teachme.thinking import (
    LONGEST_PREMISE,
    MOST_PREMISES,
    Hypothesis,
    hypotheses_in,
    options_of,
    score_proof,
    sentences,
)
from assistant.reply.parser import parse_reply

pytestmark = pytest.mark.promise("thinking-follows-the-paper")

PREMISES = Premise("Air scatters blue light."), Premise("The sky is air.")
ANYTHING = st.text() | st.sampled_from(["1 yes 90", "no 70", "<premise>", "</step>", "yes", "(A)", "ਹਾਂ", "nine"])


def test_each_option_or_three_drafts_have_a_hypothesis() -> None:
    said = parse_reply("<statement>The sky is blue.</statement>", thinking.HYPOTHESES)
    assert hypotheses_in(said, ["blue", "yellow"]) == [
        Hypothesis("blue", "The sky is blue.", "(A)"),
        Hypothesis("yellow", "yellow", "(B)"),
    ]
    assert hypotheses_in(said, []) == []  # without an answer
    drafts = (("iron", "Iron."), ("wood", "Wood."), ("iron", "Iron."), ("a", "A."), ("b", "B."))
    text = "".join(f"<candidate>{answer}</candidate><statement>{said}</statement>" for answer, said in drafts)
    found = hypotheses_in(parse_reply(text, thinking.HYPOTHESES), [])
    assert [one.answer for one in found] == ["iron", "wood", "a"]


@pytest.mark.parametrize(("said", "score"), [
    ("<premise>1 yes 90</premise><premise>2, yes, 80%</premise><step>yes 100</step>", 0.72),
    ("<premise>1 yes 90</premise><premise>2 no 80</premise><step>yes 100</step>", 0),
    ("<premise>1 yes 90</premise><premise>2 yes 90</premise><step>no 90</step>", 0),
    ("<premise>1 yes 90</premise><step>yes 90</step>", 0),
    ("<premise>1 yes 999</premise><premise>2 yes 3</premise><step>yes 100</step>", 0.5),
])  # fmt: skip
def test_proof_is_judged_by_plain_words(said: str, score: float) -> None:
    assert score_proof(PREMISES, parse_reply(said, thinking.CHECK)) == pytest.approx(score)


@given(reply=st.lists(ANYTHING).map(" ".join))
def test_any_reply_is_read(reply: str) -> None:
    assert 0 <= score_proof(PREMISES, parse_reply(reply, thinking.CHECK)) <= 1
    assert len(hypotheses_in(parse_reply(reply, thinking.HYPOTHESES), options_of(reply))) <= 8
    premises = sentences(parse_reply(reply, thinking.PROOF).fields.get("because", ()))
    assert len(premises) <= MOST_PREMISES
    assert all(0 < len(text) <= LONGEST_PREMISE and "\n" not in text for text in premises)
