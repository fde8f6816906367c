"""Whether two questions are the same one, and what a way of asking tells whoever proposes a reach."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_store.language.questions import WordedWays, same_question, same_way

QUESTIONS = st.sampled_from([
    "what does light mean?", "what does dark mean", "kal kab aaoge?", "कल कब आओगे", "how do i reset my password",
    "passward reset kaise karu", "🙂", "", "is it warm out today", "ਅੱਜ ਮੌਸਮ ਕਿਵੇਂ ਹੈ",
]) | st.text(max_size=30)  # fmt: skip
WAYS = WordedWays()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does light mean?", "what does LIGHT mean"),
        ("how do I reset my password", "how do i reset my pasword"),
        ("kal kab aaoge?", "कल कब आओगे"),
        ("is it warm outside", "is it warm outside today"),
        ("how many letters does apple have", "how many letter does apple have"),
        ("kya horaha hai?", "kya ho raha hai?"),
        ("bank khan h", "bank kahan hai"),
        ("tum kya krte ho", "tum kya karte ho?"),
        ("what does light mean 🙂", "what does light mean?"),
        ("bank kahan hai 🙏", "bank kahan hai"),
    ],
)
def test_a_question_in_another_spelling_script_or_form_is_the_same(one: str, other: str) -> None:
    assert same_question(one, other)
    assert same_question(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("what does light mean", "what does dark mean"),
        ("what does light mean", "what does light mean in physics"),
        ("when do you come", "where do you come"),
        ("how do I look", "how do you look"),
        ("does he like tea", "does he not like tea"),
        ("kya kar raha hai?", "kya kha raha hai?"),
        ("meeting 3 baje hai kya", "meeting 5 baje hai kya"),
        ("mera naam kya hai", "tera naam kya hai"),
    ],
)
def test_one_other_word_makes_another_question(one: str, other: str) -> None:
    assert not same_question(one, other)
    assert not same_question(other, one)


@settings(deadline=None)
@given(QUESTIONS, QUESTIONS)
def test_it_holds_for_both_sides_or_none_and_for_a_question_and_itself(one: str, other: str) -> None:
    assert same_question(one, one)
    assert same_question(one, other) == same_question(other, one)


@pytest.mark.parametrize("question", ["what does light mean?", "hello ka matlab kya hai", "which synonym fits here"])
def test_a_way_of_asking_that_names_all_it_wants_is_common(question: str) -> None:
    assert WAYS.is_common(question)


@pytest.mark.parametrize("question", ["what is akin to quick", "a word like quick"])
def test_a_way_of_asking_that_is_a_persons_own_is_not(question: str) -> None:
    assert not WAYS.is_common(question)


def test_questions_are_asked_in_one_way_whatever_they_are_about() -> None:
    assert WAYS.alike("what is akin to quick?", "what is akin to enormous")
    assert not WAYS.alike("what is akin to quick?", "who wrote the letter about the river")


@settings(deadline=None)
@given(QUESTIONS, QUESTIONS)
def test_no_text_is_too_odd_to_be_asked_about(one: str, other: str) -> None:
    assert WAYS.alike(one, other) in {True, False}
    assert WAYS.is_common(one) in {True, False}
    assert WAYS.begins_with(one, other) in {True, False}


def test_numbers_are_compared_however_they_are_written_and_however_long() -> None:
    assert same_question("how much sugar goes in 2 cups of tea", "how much sugar goes in two cups of tea")
    assert not same_question("how much sugar goes in ten cups of tea", "how much sugar goes in two cups of tea")
    assert not WAYS.begins_with("moose", "7" * 5_000)


def test_what_is_misspelt_is_the_word_that_it_sounds_like_and_no_other_word() -> None:
    assert same_question("how do i reset my rowter", "how do i reset my router")
    assert not same_question("what rhymes with moose", "what rhymes with goose")


@pytest.mark.parametrize(
    ("known", "question"),
    [
        ("what is akin to quick", 'hey, what is akin to "ice cream"?'),
        ("quick jaisa shabd batao", "enormous jesa shabad btao na"),
        ("quick jaisa shabd batao", "enormous जैसा शब्द बताओ"),
        ("quick ka ulta kya hai", "tall का उल्टा क्या है"),
        ("quick varga shabad dasso", "ਖੁਸ਼ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ"),
        ("what is the twin of quick", "wat is the twin of brave pls"),
        ("quick ka jodidar kya hai", "brave ka jodidar kya hai sirji"),
    ],
)
def test_same_way_is_about_another_word(known: str, question: str) -> None:
    assert same_way(question, known) >= 0.9


@pytest.mark.parametrize(
    ("known", "question"),
    [
        ("what is like quick", "what is not like quick"),
        ("quick ka ulta", "quick ka matlab"),
        ("what is the twin of quick", "not what is the twin of quick"),
        ("what is akin to quick ?", "what is unlike quick ?"),
    ],
)
def test_another_wish_is_another_way(known: str, question: str) -> None:
    assert same_way(question, known) == 0.0


@pytest.mark.parametrize(
    ("known", "question"),
    [("flights to Delhi", "who wrote it"), ("what is the twin of quick", "what is it like living in Paris")],
)
def test_other_questions_are_asked_otherwise(known: str, question: str) -> None:
    assert same_way(question, known) < 0.6


def test_form_is_compared_before_meaning() -> None:
    assert same_way("huge da jodidar ki hai?", "happy da jodidar ki hai?") == 1.0  # da and ki may both be "of"


@settings(deadline=None)
@given(QUESTIONS, QUESTIONS)
def test_any_text_can_be_compared(one: str, other: str) -> None:
    assert 0.0 <= same_way(one, other) <= 1.0


def test_another_number_in_a_word_is_no_typo() -> None:
    assert not same_question("what about iphone14", "what about iphone15")
    assert not same_question("explain error E1042", "explain error E1024")
    assert same_question("what about ipone14", "what about iphone14")
