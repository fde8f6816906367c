"""Two questions that differ in one place, where nobody has said what either of them asks about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.gaps import one_gap

WANTED_A_WORD = "I wanted the definition"
TEXT = st.text(st.sampled_from("abe ?kऐਕ▢<>"), max_size=30)


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("what hides inside desert ?", "what hides inside landlord ?"),
        ("hey what hides inside desert pls", "what hides inside landlord ?"),
        ("What hides insde desert", "what hides inside landlord ?"),
        ("let modest speak", "let regularly speak"),
        ("kann nu refer hor ki lagda", "kann nu favorite hor ki lagda ?"),
        ("hart di awaaz kihde nal rulldi hai", "their di awaaz kihde nal rulldi hai ?"),
        ("who would argue with brave", "who would argue with kind"),
        ("brave ke mukable vich kaun hai", "quick ke mukable vich kaun hai ?"),
        # A word elsewhere that a linking word marks is part of the way of asking where all else is the same.
        ("take prime for a walk", "take bridge for a walk"),
        ("put hall to work", "put license to work"),
        ("well, put justified to work thanks", "put convenient to work"),
        # Nearly any word may be asked about.
        ("give dash some company", "give license some company"),
        ("ek thaali mein say paroso", "ek thaali mein harbor paroso"),
        ("sell sentence to a child", "sell fruit to a child"),
    ],
)
def test_the_one_word_that_differs_may_be_what_is_asked_about(question: str, known: str) -> None:
    found = one_gap(question, known, WANTED_A_WORD)
    assert found is not None
    assert found > 0.9


@pytest.mark.parametrize(
    ("question", "known", "said"),
    [
        ("what hides inside desert ?", "what hides inside landlord ?", "no, I meant the old one"),  # wanted no word
        ("what finds landlord ?", "what hides inside landlord ?", "by hides inside I mean its definition"),
        ("who hides near a desert ?", "what hides inside landlord ?", WANTED_A_WORD),  # two places
        ("what is brave", "what is quick", WANTED_A_WORD),  # nothing is left that tells
        (
            "what is the opposite of quick",
            "what is the twin of quick",
            WANTED_A_WORD,
        ),  # a word of asking is another wish
        ("quick ka ulta kya hai", "quick ka judwa kya hai", WANTED_A_WORD),
        ("hart di awaaz kihde nal rulldi hai", "tera di awaaz kihde nal rulldi hai ?", WANTED_A_WORD),
        ("what hides inside me ?", "what hides inside landlord ?", WANTED_A_WORD),  # nobody is a word
        ("what hides inside landlord ?", "what hides inside landlord ?", WANTED_A_WORD),
        ("", "what hides inside landlord ?", WANTED_A_WORD),
        ("x " * 400, "y " * 400, WANTED_A_WORD),
    ],
)
def test_no_gap(question: str, known: str, said: str) -> None:
    assert one_gap(question, known, said) is None


@pytest.mark.parametrize("said", ["iska matlab batao", "main matlab pucchya si", "no, what does it mean"])
def test_who_asks_what_it_means_wants_something_of_a_word(said: str) -> None:
    assert one_gap("what hides inside desert ?", "what hides inside landlord ?", said) == 1.0
    assert one_gap("what hides inside desert ?", "what hides inside landlord ?", "mera matlab purana wala") is None


def test_a_thing_is_no_word() -> None:
    found = one_gap("what hides inside the fort ?", "what hides inside landlord ?", WANTED_A_WORD)
    assert found is not None
    assert found <= 0.5


def test_another_word_that_is_likelier_asked_about_speaks_against_the_one_that_differs() -> None:
    elsewhere = one_gap("lantern ka daam batao", "lantern ki kahani batao", WANTED_A_WORD)
    there = one_gap("lantern ki kahani batao", "bridge ki kahani batao", WANTED_A_WORD)
    assert elsewhere is not None
    assert there is not None
    assert elsewhere < 0.5 < there


def test_a_word_with_a_linking_word_behind_it_is_likelier_asked_about() -> None:
    elsewhere = one_gap("दिल से हाथ मिलाओ", "दिल से तुक मिलाओ", WANTED_A_WORD)
    there = one_gap("शाम से तुक मिलाओ", "दिल से तुक मिलाओ", WANTED_A_WORD)
    english = one_gap("kaan ko brave aur kya lagta hai", "kaan ko quick aur kya lagta hai", WANTED_A_WORD)
    assert elsewhere is not None
    assert there is not None
    assert english is not None
    assert elsewhere < 0.5 < min(there, english)


def test_who_asks_about_a_word_puts_one_for_one() -> None:
    found = one_gap("check this parcel weight before I send it", "check this para before I send it", WANTED_A_WORD)
    assert found is not None
    assert found <= 0.5


@given(TEXT, TEXT, st.sampled_from(["", WANTED_A_WORD, "shabd da arth"]))
def test_any_text_can_be_compared(question: str, known: str, said: str) -> None:
    found = one_gap(question, known, said)
    assert found is None or 0.0 <= found <= 1.0


def test_two_places_are_not_one() -> None:
    said = "same meaning wala shabd do"
    assert one_gap("dusra gana kya hai film ka", "dusra naam kya hai fusty ka", said) is None


def test_a_linking_word_marks_less_than_english_does() -> None:
    known, asked = (f"patrakar apni khabar mein {word} kahan fit karega" for word in ("apologize", "galvanize"))
    assert (one_gap(asked, known, "ek vakya chahiye tha") or 0.0) > 0.9


def test_a_name_behind_chatter_is_a_name() -> None:
    known, said = "happy ka jodidar kya hai", "i wanted a synonym"
    assert (one_gap("sorry yaar, Zubin ka jodidar kya hai", known, said) or 0.0) < 0.3
