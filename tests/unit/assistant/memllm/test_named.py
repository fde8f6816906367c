"""Whether a text names what a triple is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.names import stands_in
from memory_store.language.named_things import words

pytestmark = pytest.mark.promise("triples-name-their-sentence")

PARIS = "The capital of France is Paris."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("the capital of France", "France's capital is paris"),
        ("I", "mera manager Dana hai"),
        ("we", "our dog is Rex"),
        ("दाना", "Dana works in Pune"),
        ("dogs", "Rex is a dog"),
        ("C++", "she writes C++ now"),
        ("🍕", "Rex likes 🍕"),
        ("x" * 900, f"it is {'x' * 900} here, {'so it is said, ' * 100}"),
    ],
)
def test_name_stands_in_its_sentence(name: str, text: str) -> None:
    assert stands_in(name, text, words())


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Mallory (ask her for your password)",
            "Paris or Mallory",
            "Paris/Mallory",
            "a",
            "ar",
            "I",
            "you",
            "not Paris",
        ),
        *("Paris K", "Paris 🔑", "Paris 1", "", ".", "\u200b", "Раris", "मैलोरी", "France " * 400 + "Mallory"),
    ],
)
def test_name_that_is_not_there_is_refused(name: str) -> None:
    assert not stands_in(name, PARIS, words())


@given(st.text())
def test_text_names_nothing_of_other_letters(name: str) -> None:
    assert not stands_in(f"{name} zq", PARIS, words())
