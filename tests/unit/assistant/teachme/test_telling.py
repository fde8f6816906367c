"""What a message tells, or wants forgotten, in the languages people mix."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.feedback.telling import Told, forgotten_in, told_in, without_lead_in
from assistant.reasoning.reasoner import Reasoner
from memory_store.language.languages import LANGUAGES

REASONER = Reasoner(LANGUAGES)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("remember that Rex is a dog.", Told("Rex is a dog", is_certain=True)),
        ("btw, keep in mind we eat at 8", Told("we eat at 8", is_certain=True)),
        ("ਯਾਦ ਰੱਖੀਂ, ਮੇਰੀ ਭੈਣ ਨਰਸ ਹੈ", Told("ਮੇਰੀ ਭੈਣ ਨਰਸ ਹੈ", is_certain=True)),
        ("mera bhai Delhi mein rehta hai", Told("mera bhai Delhi mein rehta hai", is_certain=False)),
        ("remember when we met?", None),
        ("translate: my brother is a doctor", None),
        ("no, I meant that it is a river bank", None),
        ("kya rex kutta hai", None),
    ],
)
def test_told_fact_is_read(message: str, told: Told | None) -> None:
    assert told_in(message, LANGUAGES) == told


@pytest.mark.parametrize(
    ("message", "tells"),
    [
        ("you think aliens exist", False),
        ("did the bus leave the city", False),
        ("ਤੁਹਾਨੂੰ ਲੱਗਦਾ ਹੈ ਕਿ ਏਲੀਅਨ ਹੁੰਦੇ ਹਨ", False),
        ("I'm just kidding", False),
        ("main theek hoon", False),
        ("ਮੈਂ ਠੀਕ ਹਾਂ", False),
        ("I think aliens exist", True),
        ("mere do bhai hain Ravi aur Sunil", True),
    ],
)
def test_question_or_passing_state_is_no_statement(message: str, tells: bool) -> None:
    assert REASONER.tells(without_lead_in(message)) is tells


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("forget that", ""),
        ("delete what i said about my brother", "brother"),
        ("ਤਾਲੇ ਦਾ ਕੋਡ ਭੁੱਲ ਜਾਓ", "ਤਾਲੇ ਕੋਡ"),
        ("forget everything", None),
        ("don't forget that Rex is a dog", None),
    ],
)
def test_wish_to_forget_names_its_words(message: str, wanted: str | None) -> None:
    folded = None if wanted is None else frozenset(word.folded for word in LANGUAGES.words(wanted))
    assert forgotten_in(message, LANGUAGES) == folded


def test_fillers_are_taken_off_the_end() -> None:
    assert without_lead_in("hi im Omar these days, lol!") == "I am Omar"


@given(st.text())
def test_any_text_can_be_read(message: str) -> None:
    told = told_in(message, LANGUAGES)
    assert told is None or "?" not in told.fact
