"""Whether two questions are the same one, and whether they are asked in the same way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.language.questions import WordedWays, same_question, same_way

QUESTIONS = st.sampled_from([
    "what does light mean?", "kal kab aaoge?", "कल कब आओगे", "passward reset kaise karu", "🙂", "",
    "ਅੱਜ ਮੌਸਮ ਕਿਵੇਂ ਹੈ",
]) | st.text(max_size=30)  # fmt: skip
WAYS = WordedWays()


@pytest.mark.parametrize(("one", "other", "is_same"), [
    ("What does light mean?", "what does LIGHT mean 🙂", True),
    ("how do i reset my rowter", "how do i reset my router", True),
    ("kal kab aaoge?", "कल कब आओगे", True),
    ("is it warm outside", "is it warm outside today", True),
    ("kya horaha hai?", "kya ho raha hai?", True),
    ("how much sugar goes in 2 cups of tea", "how much sugar goes in two cups of tea", True),
    ("what about iphone14", "what about iphone15", False),
    ("what rhymes with moose", "what rhymes with goose", False),
    ("does he like tea", "does he not like tea", False),
    ("kya kar raha hai?", "kya kha raha hai?", False),
    ("meeting 3 baje hai kya", "meeting 5 baje hai kya", False),
])  # fmt: skip
def test_questions_are_the_same(one: str, other: str, is_same: bool) -> None:
    assert same_question(one, other) is same_question(other, one) is is_same


@pytest.mark.parametrize(("known", "question", "least", "most"), [
    ("what is akin to quick", 'hey, what is akin to "ice cream"?', 0.9, 1.0),
    ("quick jaisa shabd batao", "enormous जैसा शब्द बताओ", 0.9, 1.0),
    ("quick ka jodidar kya hai", "brave ka jodidar kya hai sirji", 0.9, 1.0),
    ("huge da jodidar ki hai?", "happy da jodidar ki hai?", 1.0, 1.0),  # da and ki may both be "of"
    ("what is like quick", "what is not like quick", 0.0, 0.0),
    ("what is the twin of quick", "what is it like living in Paris", 0.0, 0.6),
])  # fmt: skip
def test_questions_are_asked_in_the_same_way(known: str, question: str, least: float, most: float) -> None:
    assert least <= same_way(question, known) <= most


@pytest.mark.parametrize(("question", "is_common"), [
    ("what does light mean?", True),
    ("hello ka matlab kya hai", True),
    ("what is akin to quick", False),
    ("a word like quick", False),
])  # fmt: skip
def test_common_way_names_all_it_wants(question: str, is_common: bool) -> None:
    assert WAYS.is_common(question) is is_common


@given(QUESTIONS, QUESTIONS)
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    assert same_question(one, one)
    assert same_question(one, other) == same_question(other, one)
    assert 0.0 <= same_way(one, other) <= 1.0
    assert {WAYS.alike(one, other), WAYS.is_common(one), WAYS.begins_with(one, other)} <= {True, False}
