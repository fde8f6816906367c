"""Same questions, same patterns of asking, and relations between two entries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.kinds import CLARIFICATION, FACT, Clarification, Content, Fact
from memory_store.language.question_similarity import (
    QuestionSimilarity,
    is_same_question,
    pattern_similarity,
    shared_words,
)
from memory_store.memory.relation import Relation, build_fingerprints, relation_of

ASKED = st.sampled_from([
    "what does light mean?", "kal kab aaoge?", "कल कब आओगे", "passward reset kaise karu", "🙂", "",
    "ਅੱਜ ਮੌਸਮ ਕਿਵੇਂ ਹੈ",
]) | st.text(max_size=30)  # fmt: skip
WAYS = QuestionSimilarity()


@pytest.mark.parametrize(("one", "other", "is_same"), [
    ("What does light mean?", "what does LIGHT mean 🙂", True),
    ("kal kab aaoge?", "कल कब आओगे", True),
    ("kya horaha hai?", "kya ho raha hai?", True),
    ("kya kar raha hai?", "kya kha raha hai?", False),
    ("kya ho raha hai?", "kya kar raha hai?", False),
    ("kal aana hai", "kal jana hai", False),
    ("bank khan h", "bank kahan hai", True),
    ("bus kb aayegi 🙏!!", "बस कब आएगी…", True),
    ("bahut thak gaya hun kya karun", "bht thak gya hu kya kru bro", True),
    ("kaun si dawai leni hai?", "konsi dawai leni h", True),
    ("wi-fi ka password kya hai?", "wifi ka pasword kya h yaar", True),
    ("bhai ki shaadi kab hai", "behen ki shaadi kab hai", False),
    ("delhi se agra ki bus kab hai", "agra se delhi ki bus kab hai", False),
    ("how much sugar goes in 2 cups of tea", "how much sugar goes in two cups of tea", True),
    ("what rhymes with moose", "what rhymes with goose", False),
    ("does he like tea", "does he not like tea", False),
])  # fmt: skip
def test_questions_are_the_same(one: str, other: str, is_same: bool) -> None:
    assert is_same_question(one, other) is is_same_question(other, one) is is_same


@pytest.mark.parametrize(("known", "question", "least", "most"), [
    ("what is akin to quick", 'hey, what is akin to "ice cream"?', 0.9, 1.0),
    ("quick jaisa shabd batao", "enormous जैसा शब्द बताओ", 0.9, 1.0),
    ("huge da jodidar ki hai?", "happy da jodidar ki hai?", 1.0, 1.0),  # da and ki can both mean "of"
    ("what is like quick", "what is not like quick", 0.0, 0.0),
    ("what is the twin of quick", "what is it like living in Paris", 0.0, 0.6),
])  # fmt: skip
def test_questions_are_asked_in_the_same_way(known: str, question: str, least: float, most: float) -> None:
    assert least <= pattern_similarity(question, known) <= most


@pytest.mark.parametrize(("question", "found_by", "shared"), [
    ("Which bank is best for a “picnic”?", "Which bank should I use for a picnic?", ["bank", "picnic"]),
    ("मेरा मैनेजर कौन है?", "my manager is Dana", ["मैनेजर"]),
    ("what does light mean", "What does crane mean?", ["what", "does", "mean"]),  # found by the way of asking
])  # fmt: skip
def test_shared_words_are_marked(question: str, found_by: str, shared: list[str]) -> None:
    assert [question[start:end] for start, end in shared_words(question, found_by)] == shared


@given(ASKED, ASKED)
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    assert is_same_question(one, one)
    assert is_same_question(one, other) == is_same_question(other, one)
    assert 0.0 <= pattern_similarity(one, other) <= 1.0
    assert {WAYS.alike(one, other), WAYS.is_common(one), WAYS.begins_with(one, other)} <= {True, False}
    assert not WAYS.begins_with("moose", "7" * 5_000)  # more digits than `int` accepts


def said(question: str, text: str) -> Content:
    return Content(CLARIFICATION, question, Clarification(text=text))


def told(text: str, *, denied: bool = False) -> Content:
    return Content(FACT, text, Fact(text=text, denied=denied))


AKIN = said("what is akin to quick ?", "I want a synonym")
BANK = said("where is the bank?", "by bank I mean where money is kept")
KAL = said("kal kya hua tha?", "kal matlab yesterday")

QUESTIONS = st.sampled_from([AKIN.question, BANK.question, KAL.question, "kal kab aaoge?", "🙂", ""]) | st.text()
TEXTS = st.sampled_from([AKIN.text, BANK.text, KAL.text, "a synonym please", ""]) | st.text()
SAID = st.builds(said, QUESTIONS, TEXTS) | st.builds(told, TEXTS, denied=st.booleans())


@pytest.mark.parametrize(("new", "old", "relation"), [
    (said("wat is akin to < enormous >", "no, I meant a synonym"), AKIN, Relation.DUPLICATE),
    (said("what is akin to enormous?", "not a synonym"), AKIN, Relation.UNRELATED),
    (said("how muddy is the bank of the river?", "the bank is the edge of it"), BANK, Relation.BESIDE),
    (said("how muddy is the bank?", "from now on the bank is the edge of a river"), BANK, Relation.REPLACED),
    (said("कल क्या हुआ था?", "कल matlab tomorrow"), KAL, Relation.BESIDE),
    (said("kal bank jaana hai kya?", "ab se bank matlab river bank"),
     said("kal bank jaana hai kya?", "kal matlab tomorrow"), Relation.UNRELATED),
    (told("Rex is not a dog"), told("Rex is a dog"), Relation.BESIDE),
    (told("my office closes at 6"), told("the bank closes at 7"), Relation.UNRELATED),
    (told("Ravi likes tea"), told("Ravi likes coffee"), Relation.UNRELATED),
])  # fmt: skip
def test_relation_of_two_entries(new: Content, old: Content, relation: Relation) -> None:
    assert relation_of(new, old) is relation


@given(SAID, SAID)
def test_any_two_entries_can_be_compared(new: Content, old: Content) -> None:
    assert relation_of(new, new) is Relation.DUPLICATE
    assert all(build_fingerprints(new))
    if new.kind is not old.kind:
        return
    related = relation_of(new, old) in {Relation.REPLACED, Relation.BESIDE}
    if new.kind is CLARIFICATION:
        assert related == (relation_of(old, new) in {Relation.REPLACED, Relation.BESIDE})
        shared = set(build_fingerprints(new)) & set(build_fingerprints(old))
        assert shared or is_same_question(new.question, old.question) or not related
