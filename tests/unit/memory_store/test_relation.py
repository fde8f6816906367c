from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.memory.relation import Relation, Said, context_of, forms_of, relation_of

AKIN = Said("what is akin to quick ?", 'You want a word that sounds like "quick".', "I want a synonym")
BANK = Said("where is the bank?", "", "by bank I mean where money is kept")
KAL = Said("kal kya hua tha?", "", "kal matlab yesterday")

QUESTIONS = st.one_of(
    st.sampled_from([AKIN.question, BANK.question, KAL.question, "kal kab aaoge?", "🙂", ""]), st.text()
)
TEXTS = st.one_of(st.sampled_from([AKIN.text, BANK.text, KAL.text, "a synonym please", ""]), st.text())
SAID = st.builds(Said, QUESTIONS, st.sampled_from(["", AKIN.wrong_understanding]), TEXTS)


@pytest.mark.parametrize(("new", "old", "relation"), [
    (Said("What is akin to QUICK", "", "an antonym"), AKIN, Relation.REPLACED),
    (Said("what is akin to quick?", "", "no, I meant a synonym"), AKIN, Relation.DUPLICATE),
    (Said("wat is akin to < enormous >", "", "I want a synonym"), AKIN, Relation.DUPLICATE),
    (Said("what is akin to enormous?", "", "not a synonym"), AKIN, Relation.UNRELATED),
    (Said("what is unlike quick ?", "", "I want a synonym"), AKIN, Relation.UNRELATED),
    (Said("how muddy is the bank of the river?", "", "the bank is the edge of it"), BANK, Relation.SAME_TERM),
    (Said("kal kab aaoge?", "", "kal matlab tomorrow"), KAL, Relation.SAME_TERM),
    (Said("कल क्या हुआ था?", "", "कल matlab tomorrow"), KAL, Relation.REPLACED),
    (Said("kal bank jaana hai kya?", "", "bank matlab river bank"),
     Said("kal bank jaana hai kya?", "", "kal matlab tomorrow"), Relation.UNRELATED),
    (Said("🙂", "", "x"), Said("🙁", "", "y"), Relation.UNRELATED),
])  # fmt: skip
def test_what_an_older_clarification_is_to_a_new_one(new: Said, old: Said, relation: Relation) -> None:
    assert relation_of(new, old) is relation


def test_the_context_is_the_phrase_and_what_else_the_question_is_about() -> None:
    river = Said("how muddy is the bank of the river?", "", "the bank is the edge of it")
    assert context_of(river, BANK) == "muddy bank river"
    assert context_of(BANK, river) == ""  # "where is the bank?" is about nothing else
    tomorrow = Said("kal kab aaoge?", "", "kal matlab tomorrow")
    assert (context_of(KAL, tomorrow), context_of(tomorrow, KAL)) == ("kal hua", "kal aaoge")


@given(SAID, SAID)
def test_whatever_is_said_related_ones_share_a_form_or_are_worded_much_alike(new: Said, old: Said) -> None:
    relation = relation_of(new, old)
    shared = set(forms_of(new)) & set(forms_of(old))
    if relation in {Relation.REPLACED, Relation.SAME_TERM}:
        assert shared
    same_question = forms_of(new)[0] == forms_of(old)[0]
    assert same_question or relation is not Relation.REPLACED
    assert relation_of(new, new) is Relation.DUPLICATE


@given(SAID, SAID)
def test_replacing_and_standing_beside_have_no_direction(new: Said, old: Said) -> None:
    for relation in (Relation.REPLACED, Relation.SAME_TERM):
        assert (relation_of(new, old) is relation) == (relation_of(old, new) is relation)


@given(SAID, SAID)
def test_a_context_is_made_of_the_question_only(said: Said, other: Said) -> None:
    words = {word.strip("\"'“”‘’«»()[]{}<>,;:?!.…।॥`") for word in said.question.split()}
    assert set(context_of(said, other).split()) <= {part for word in words for part in word.split()}
