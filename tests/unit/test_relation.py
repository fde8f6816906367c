from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.kinship import PHRASING, Kin, Said

AKIN = Said("what is akin to quick ?", 'You want a word that sounds like "quick".', "I want a synonym")
BANK = Said("where is the bank?", "", "by bank I mean where money is kept")
KAL = Said("kal kya hua tha?", "", "kal matlab yesterday")

QUESTIONS = st.one_of(
    st.sampled_from([AKIN.question, BANK.question, KAL.question, "kal kab aaoge?", "🙂", ""]), st.text()
)
TEXTS = st.one_of(st.sampled_from([AKIN.text, BANK.text, KAL.text, "a synonym please", ""]), st.text())
SAID = st.builds(Said, QUESTIONS, st.sampled_from(["", AKIN.wrong_understanding]), TEXTS)


@pytest.mark.parametrize(("new", "old", "kin"), [
    (Said("What is akin to QUICK", "", "an antonym"), AKIN, Kin.REPLACED),
    (Said("what is akin to quick?", "", "no, I meant a synonym"), AKIN, Kin.MERGED),
    (Said("what is akin to enormous?", "", "a synonym please"), AKIN, Kin.MERGED),
    (Said("wat is akin to < enormous >", "", "I want a synonym"), AKIN, Kin.MERGED),
    (Said("what is akin to enormous?", "", "an antonym"), AKIN, Kin.STRANGER),
    (Said("what is akin to enormous?", "", "not a synonym"), AKIN, Kin.STRANGER),
    (Said("what is unlike quick ?", "", "I want a synonym"), AKIN, Kin.STRANGER),
    (Said("how muddy is the bank of the river?", "", "the bank is the edge of it"), BANK, Kin.BESIDE),
    (Said("kal kab aaoge?", "", "kal matlab tomorrow"), KAL, Kin.BESIDE),
    (Said("कल क्या हुआ था?", "", "कल matlab tomorrow"), KAL, Kin.REPLACED),
    (Said("🙂", "", "x"), Said("🙁", "", "y"), Kin.STRANGER),
])  # fmt: skip
def test_what_an_older_clarification_is_to_a_new_one(new: Said, old: Said, kin: Kin) -> None:
    assert PHRASING.relation(new, old) is kin


def test_two_phrases_of_one_question_stand_beside_each_other() -> None:
    first = Said("kal bank jaana hai kya?", "", "kal matlab tomorrow")
    assert PHRASING.relation(Said(first.question, "", "bank matlab river bank"), first) is Kin.STRANGER


def test_the_context_is_the_phrase_and_what_else_the_question_is_about() -> None:
    river = Said("how muddy is the bank of the river?", "", "the bank is the edge of it")
    assert PHRASING.context(river, BANK) == "muddy bank river"
    assert PHRASING.context(BANK, river) == ""  # "where is the bank?" is about nothing else
    tomorrow = Said("kal kab aaoge?", "", "kal matlab tomorrow")
    assert (PHRASING.context(KAL, tomorrow), PHRASING.context(tomorrow, KAL)) == ("kal hua", "kal aaoge")


@given(SAID, SAID)
def test_whatever_is_said_kin_share_a_form_or_are_worded_much_alike(new: Said, old: Said) -> None:
    kin = PHRASING.relation(new, old)
    shared = set(PHRASING.forms(new)) & set(PHRASING.forms(old))
    if kin in {Kin.REPLACED, Kin.BESIDE}:
        assert shared
    same_question = PHRASING.forms(new)[0] == PHRASING.forms(old)[0]
    assert same_question or kin is not Kin.REPLACED
    assert PHRASING.relation(new, new) is Kin.MERGED


@given(SAID, SAID)
def test_replacing_and_standing_beside_have_no_direction(new: Said, old: Said) -> None:
    for kin in (Kin.REPLACED, Kin.BESIDE):
        assert (PHRASING.relation(new, old) is kin) == (PHRASING.relation(old, new) is kin)


@given(SAID, SAID)
def test_a_context_is_made_of_the_question_only(said: Said, other: Said) -> None:
    words = {word.strip("\"'“”‘’«»()[]{}<>,;:?!.…।॥") for word in said.question.split()}
    assert set(PHRASING.context(said, other).split()) <= {part for word in words for part in word.split()}
