import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.asked_word import differing_places, marked_words, repeated_places, told_places


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("what is akin to < quick > ?", ["quick"]),
        ("\"quick\" or “tall”, 'big' or `ice cream`", ["quick", "tall", "big", "ice cream"]),
        ("it's what's asked, < > and nothing else", []),
    ],
)
def test_brackets_and_quotes_mark_words(text: str, marked: list[str]) -> None:
    assert marked_words(text) == marked


@pytest.mark.parametrize(
    ("question", "said", "told"),
    [
        ("take bridge for a walk", "by take for a walk I mean a sentence", range(1, 2)),
        ("take a bridge for a walk", "by take a tower for a walk I mean a sentence", range(2, 3)),
        ("take bridge for a walk", "take bridge for a walk means a sentence", range(0)),
    ],
)
def test_repeated_rest_tells_the_word(question: str, said: str, told: range) -> None:
    assert told_places([[word] for word in question.split()], said.split()) == told


@pytest.mark.parametrize(
    ("about", "differing"),
    [("what glows tall beside moss", range(2, 3)), ("where is the station", range(0))],
)
def test_question_differing_in_one_place_tells_it(about: str, differing: range) -> None:
    question = "what glows huge beside moss"
    assert differing_places(question.split(), about.split()) == differing


@pytest.mark.parametrize(
    ("said", "repeated"),
    [
        ("by take x for a walk I mean a sentence", range(1, 6)),
        ("take it slow and say what you find for that then a walk", range(0)),
    ],
)
def test_question_is_found_in_a_correction(said: str, repeated: range) -> None:
    question = "take bridge for a walk"
    assert repeated_places(question.split(), said.split()) == repeated


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_can_be_compared(question: str, said: str) -> None:
    words, heard = question.split(), said.split()
    marked_words(question)
    assert set(told_places([[word] for word in words], heard)) <= set(range(len(words)))
    assert set(differing_places(words, heard)) <= set(range(len(words)))
    assert set(repeated_places(words, heard)) <= set(range(len(heard)))
