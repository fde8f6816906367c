"""Whether two questions are the same one, and what a way of asking tells whoever proposes a reach."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_store.language.function_words import words_of
from memory_store.language.templates.alike_words import AlikeWords
from memory_store.language.templates.same_question import same_question
from memory_store.language.templates.ways import WordedWays

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


@pytest.mark.parametrize("question", ["what does light mean?", "hello ka matlab kya hai", "who is Ravi"])
def test_a_way_of_asking_that_names_all_it_wants_is_common(question: str) -> None:
    assert WAYS.is_common(question)


@pytest.mark.parametrize("question", ["which of my trains leaves the old station first", "kal wali baat ka kya hua"])
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
    assert WAYS.repeats(one, other) in {True, False}
    assert WAYS.begins_with(one, other) in {True, False}


def test_numbers_are_compared_however_they_are_written_and_however_long() -> None:
    assert same_question("how much sugar goes in 2 cups of tea", "how much sugar goes in two cups of tea")
    assert not same_question("how much sugar goes in ten cups of tea", "how much sugar goes in two cups of tea")
    assert not AlikeWords(words_of("moose")).has(words_of("7" * 5_000)[-1])


def test_what_is_misspelt_is_the_word_that_it_sounds_like_and_no_other_word() -> None:
    assert same_question("how do i reset my rowter", "how do i reset my router")
    assert not same_question("what rhymes with moose", "what rhymes with goose")
