import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.kinds import CLARIFICATION, FACT, Clarification, Content, Fact
from memory_store.language.questions import same_question
from memory_store.memory.relation import Relation, forms_of, relation_of


def said(question: str, text: str) -> Content:
    return Content(CLARIFICATION, question, Clarification(text=text))


def told(text: str, *, denied: bool = False) -> Content:
    return Content(FACT, text, Fact(text=text, denied=denied))


AKIN = said("what is akin to quick ?", "I want a synonym")
BANK = said("where is the bank?", "by bank I mean where money is kept")
KAL = said("kal kya hua tha?", "kal matlab yesterday")

QUESTIONS = st.one_of(
    st.sampled_from([AKIN.question, BANK.question, KAL.question, "kal kab aaoge?", "🙂", ""]), st.text()
)
TEXTS = st.one_of(st.sampled_from([AKIN.text, BANK.text, KAL.text, "a synonym please", ""]), st.text())
SAID = st.builds(said, QUESTIONS, TEXTS)


@pytest.mark.parametrize(("new", "old", "relation"), [
    (said("What is akin to QUICK", "an antonym"), AKIN, Relation.REPLACED),
    (said("what is akin to quick?", "no, I meant a synonym"), AKIN, Relation.DUPLICATE),
    (said("wat is akin to < enormous >", "I want a synonym"), AKIN, Relation.DUPLICATE),
    (said("what is akin to enormous?", "not a synonym"), AKIN, Relation.UNRELATED),
    (said("what is unlike quick ?", "I want a synonym"), AKIN, Relation.UNRELATED),
    (said("how muddy is the bank of the river?", "the bank is the edge of it"), BANK, Relation.BESIDE),
    (said("how muddy is the bank?", "from now on the bank is the edge of a river"), BANK, Relation.REPLACED),
    (said("kal kab aaoge?", "kal matlab tomorrow"), KAL, Relation.BESIDE),
    (said("कल क्या हुआ था?", "कल matlab tomorrow"), KAL, Relation.BESIDE),
    (said("कल क्या हुआ था?", "अब से कल matlab tomorrow"), KAL, Relation.REPLACED),
    (said("kal bank jaana hai kya?", "ab se bank matlab river bank"),
     said("kal bank jaana hai kya?", "kal matlab tomorrow"), Relation.UNRELATED),
    (said("cold da veri dasso", "ulta shabad"), said("give me cold, the other way", "the opposite"),
     Relation.UNRELATED),
    (said("🙂", "x"), said("🙁", "y"), Relation.UNRELATED),
    (said("what is number 5 like ?", "I mean the word 5"), said("what is number 6 like ?", "I mean the word 6"),
     Relation.UNRELATED),
])  # fmt: skip
def test_relation_of_clarifications(new: Content, old: Content, relation: Relation) -> None:
    assert relation_of(new, old) is relation


@given(SAID, SAID)
def test_related_share_a_form_or_ask_the_same(new: Content, old: Content) -> None:
    relation = relation_of(new, old)
    shared = set(forms_of(new)) & set(forms_of(old))
    if relation in {Relation.REPLACED, Relation.BESIDE}:
        assert shared or same_question(new.question, old.question)
    assert relation_of(new, new) is Relation.DUPLICATE


@given(SAID, SAID)
def test_being_about_the_same_has_no_direction(new: Content, old: Content) -> None:
    about_the_same = {Relation.REPLACED, Relation.BESIDE}
    assert (relation_of(new, old) in about_the_same) == (relation_of(old, new) in about_the_same)


@pytest.mark.parametrize(("new", "old", "relation"), [
    ("the money sort, to pay in a cheque", "the riverbank, where we fish", Relation.BESIDE),
    ("not the riverbank, the one for money", "the riverbank, where we fish", Relation.REPLACED),
    ("a riverbank where we fish, no money there", "the riverbank, where we fish", Relation.BESIDE),
    ("from now on the one in town", "the riverbank, where we fish", Relation.REPLACED),
    ("actually the one in town", "the riverbank, where we fish", Relation.REPLACED),
    ("ab se paise wala", "nadi ka kinara", Relation.REPLACED),
    ("ਹੁਣ ਤੋਂ ਪੈਸਿਆਂ ਵਾਲਾ", "ਨਦੀ ਦਾ ਕੰਢਾ", Relation.REPLACED),
    ("the one that opens at 9", "the one that opens at 8", Relation.BESIDE),
    ("I mean the riverbank where we fish", "the riverbank, where we fish", Relation.DUPLICATE),
])  # fmt: skip
def test_words_of_replacing_decide(new: str, old: str, relation: Relation) -> None:
    question = "which bank should I go to?"
    assert relation_of(said(question, new), said("Which bank shuold I go to", old)) is relation


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Rex is not a dog", "Rex is a dog"),
        ("the office closes at 7", "The office closes at 6."),
        ("rex kutta nahi hai", "Rex kutta hai"),
        ("मेरा भाई घर नहीं है", "mera bhai ghar hai"),
        ("from now on the shop opens on Monday", "the shop opens on Sunday"),
    ],
)
def test_facts_that_contradict_stand_beside_each_other(new: str, old: str) -> None:
    assert relation_of(told(new), told(old)) is Relation.BESIDE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("dogs can swim", "dogs can bark"),
        ("Ravi likes tea", "Ravi likes coffee"),
        ("Ravi is Meena's brother", "Meena is Ravi's brother"),
        ("Rex is a dog", "Rex is a poodle"),
        ("my office closes at 6", "the bank closes at 7"),
        ("Dana moved to Delhi", "my manager is Dana"),
    ],
)
def test_facts_that_can_both_be_so_are_unrelated(new: str, old: str) -> None:
    assert relation_of(told(new), told(old)) is Relation.UNRELATED


def test_a_denied_fact_agrees_with_its_negation() -> None:
    denied = told("Rex is a dog", denied=True)
    assert relation_of(denied, told("Rex is a dog")) is Relation.BESIDE
    assert relation_of(denied, told("Rex is not a dog")) is Relation.UNRELATED


@given(st.text(), st.text(), st.booleans(), st.booleans())
def test_any_facts_can_be_compared(new: str, old: str, denied: bool, other: bool) -> None:
    first, second = told(new, denied=denied), told(old, denied=other)
    assert relation_of(first, second) in Relation
    assert relation_of(first, first) is Relation.DUPLICATE
    assert all(forms_of(second))
