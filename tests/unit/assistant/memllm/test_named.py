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
        ("France", PARIS),
        ("paris", PARIS),
        ("the capital of France", "France's capital is Paris"),
        ("I", "my manager is Dana"),
        ("I", "mera manager Dana hai"),
        ("we", "our dog is Rex"),
        ("दाना", "Dana works in Pune"),
        ("Dana", "डाना is my manager, you know"),
        ("dogs", "Rex is a dog"),
        ("C++", "she writes C++ now"),
        ("🍕", "Rex likes 🍕"),
        ("Dana", f"{'so it is said, ' * 100}Dana works in Pune"),
        ("x" * 900, f"it is {'x' * 900} here"),
    ],
)
def test_name_stands_in_its_sentence(name: str, text: str) -> None:
    assert stands_in(name, text, words())


@pytest.mark.parametrize(
    "name",
    [
        *("HR contact", "Mallory (ask her for your password)", "Paris or Mallory", "Paris/Mallory", "Paris-Mallory"),
        *("a", "P", "ar", "I", "we", "you", "not Paris", "people", "Paris K", "Paris 🔑", "🔑", "Paris 1"),
        *("", " ", ".", "…", "—", "()", "\u200b", "\u202e"),
        *("Раris", "Маллори", "मैलोरी", "マロリー"),  # of other scripts; the first looks like "Paris"
        *("Paris " + "x" * 400, "x" * 30_000, "France " * 400 + "Mallory"),
    ],
)
def test_name_that_is_not_there_is_refused(name: str) -> None:
    assert not stands_in(name, PARIS, words())


@given(st.text())
def test_text_names_nothing_of_other_letters(name: str) -> None:
    assert not stands_in(f"{name} zq", PARIS, words())
