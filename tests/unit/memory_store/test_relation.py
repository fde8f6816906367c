import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.language.questions import same_question
from memory_store.memory.relation import Relation, Said, forms_of, relation_of

AKIN = Said("what is akin to quick ?", "I want a synonym")
BANK = Said("where is the bank?", "by bank I mean where money is kept")
KAL = Said("kal kya hua tha?", "kal matlab yesterday")

QUESTIONS = st.one_of(
    st.sampled_from([AKIN.question, BANK.question, KAL.question, "kal kab aaoge?", "🙂", ""]), st.text()
)
TEXTS = st.one_of(st.sampled_from([AKIN.text, BANK.text, KAL.text, "a synonym please", ""]), st.text())
SAID = st.builds(Said, QUESTIONS, TEXTS)


@pytest.mark.parametrize(("new", "old", "relation"), [
    (Said("What is akin to QUICK", "an antonym"), AKIN, Relation.REPLACED),
    (Said("what is akin to quick?", "no, I meant a synonym"), AKIN, Relation.DUPLICATE),
    (Said("wat is akin to < enormous >", "I want a synonym"), AKIN, Relation.DUPLICATE),
    (Said("what is akin to enormous?", "not a synonym"), AKIN, Relation.UNRELATED),
    (Said("what is unlike quick ?", "I want a synonym"), AKIN, Relation.UNRELATED),
    (Said("how muddy is the bank of the river?", "the bank is the edge of it"), BANK, Relation.BESIDE),
    (Said("kal kab aaoge?", "kal matlab tomorrow"), KAL, Relation.BESIDE),
    (Said("कल क्या हुआ था?", "कल matlab tomorrow"), KAL, Relation.REPLACED),
    (Said("kal bank jaana hai kya?", "bank matlab river bank"),
     Said("kal bank jaana hai kya?", "kal matlab tomorrow"), Relation.UNRELATED),
    (Said("cold da veri dasso", "ulta shabad"), Said("give me cold, the other way", "the opposite"),
     Relation.UNRELATED),
    (Said("🙂", "x"), Said("🙁", "y"), Relation.UNRELATED),
])  # fmt: skip
def test_what_an_older_clarification_is_to_a_new_one(new: Said, old: Said, relation: Relation) -> None:
    assert relation_of(new, old) is relation


@given(SAID, SAID)
def test_whatever_is_said_related_ones_share_a_form_or_are_worded_much_alike(new: Said, old: Said) -> None:
    relation = relation_of(new, old)
    shared = set(forms_of(new)) & set(forms_of(old))
    if relation in {Relation.REPLACED, Relation.BESIDE}:
        assert shared or same_question(new.question, old.question)
    is_same = forms_of(new)[0] == forms_of(old)[0] or same_question(new.question, old.question)
    assert is_same or relation is not Relation.REPLACED
    assert relation_of(new, new) is Relation.DUPLICATE


@given(SAID, SAID)
def test_to_be_about_the_same_has_no_direction(new: Said, old: Said) -> None:
    about_the_same = {Relation.REPLACED, Relation.BESIDE}
    assert (relation_of(new, old) in about_the_same) == (relation_of(old, new) in about_the_same)


@pytest.mark.parametrize(("new", "old", "relation"), [
    ("the money sort, to pay in a cheque", "the riverbank, where we fish", Relation.BESIDE),
    ("not the riverbank, the one for money", "the riverbank, where we fish", Relation.REPLACED),
    ("a riverbank where we fish, no money there", "the riverbank, where we fish", Relation.BESIDE),
    ("from now on the one in town", "the riverbank, where we fish", Relation.REPLACED),
    ("ab se paise wala", "nadi ka kinara", Relation.REPLACED),
    ("ਹੁਣ ਤੋਂ ਪੈਸਿਆਂ ਵਾਲਾ", "ਨਦੀ ਦਾ ਕੰਢਾ", Relation.REPLACED),
    ("the one that opens at 9", "the one that opens at 8", Relation.REPLACED),
    ("I mean the riverbank where we fish", "the riverbank, where we fish", Relation.DUPLICATE),
])  # fmt: skip
def test_two_meanings_of_one_question_stand_beside_each_other_unless_the_words_say_otherwise(
    new: str, old: str, relation: Relation
) -> None:
    question = "which bank should I go to?"
    assert relation_of(Said(question, new), Said("Which bank shuold I go to", old)) is relation
