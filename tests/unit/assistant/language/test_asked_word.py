"""Which word a question asks about: marked, told by who repeats the rest of it, or by an earlier question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.asked_word import differing_places, marked_words, repeated_places, told_places

QUESTION = "take bridge for a walk"


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
    ("said", "told", "repeated"),
    [
        ("by take for a walk I mean a sentence", range(1, 2), range(1, 5)),
        ("take bridge for a walk means a sentence", range(0), range(5)),
        ("a word of the same meaning", range(0), range(0)),
    ],
)
def test_repeated_rest_tells_the_word(said: str, told: range, repeated: range) -> None:
    assert told_places([[word] for word in QUESTION.split()], said.split()) == told
    assert repeated_places(QUESTION.split(), said.split()) == repeated


def test_scattered_words_repeat_no_question() -> None:
    said = "take it slow and say what you find for that then a walk"
    assert not repeated_places(QUESTION.split(), said.split())


@pytest.mark.parametrize(
    ("about", "differing"), [("what glows tall beside moss", range(2, 3)), ("where is the station", range(0))]
)
def test_question_differing_in_one_place_tells_it(about: str, differing: range) -> None:
    assert differing_places(["what", "glows", "huge", "beside", "moss"], about.split()) == differing


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_can_be_compared(question: str, said: str) -> None:
    words, heard = question.split(), said.split()
    marked_words(question)
    assert set(told_places([[word] for word in words], heard)) <= set(range(len(words)))
    assert set(differing_places(words, heard)) <= set(range(len(words)))
    assert set(repeated_places(words, heard)) <= set(range(len(heard)))
