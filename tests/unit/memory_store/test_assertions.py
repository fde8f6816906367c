import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.memory.assertions import Assertion, assertion_forms, contradict, same_assertion


def told(text: str) -> Assertion:
    return Assertion(text, denied=False)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Rex is not a dog", "Rex is a dog"),
        ("the office closes at 7", "The office closes at 6."),
        ("rex kutta nahi hai", "Rex kutta hai"),
        ("मेरा भाई घर नहीं है", "mera bhai ghar hai"),
        ("from now on the shop opens on Monday", "the shop opens on Sunday"),
        ("Dana moved to Delhi", "Dana works in Pune"),
    ],
)
def test_these_cannot_both_be_so(new: str, old: str) -> None:
    assert contradict(told(new), told(old))
    assert not same_assertion(told(new), told(old))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("dogs can swim", "dogs can bark"),
        ("Ravi likes tea", "Ravi likes coffee"),
        ("Ravi is Meena's brother", "Meena is Ravi's brother"),
        ("Rex is a dog", "Rex is a poodle"),
        ("my office closes at 6", "the bank closes at 7"),
        ("Dana moved to Delhi", "my manager is Dana"),
    ],
)
def test_these_can_both_be_so(new: str, old: str) -> None:
    assert not contradict(told(new), told(old))


def test_what_is_denied_contradicts_what_was_told_and_agrees_with_its_negation() -> None:
    told_so, denied = told("Rex is a dog"), Assertion("Rex is a dog", denied=True)
    assert contradict(denied, told_so)
    assert not same_assertion(denied, told_so)
    assert not contradict(denied, told("Rex is not a dog"))


@given(st.text(), st.text(), st.booleans(), st.booleans())
def test_any_texts_can_be_compared(new: str, old: str, denied: bool, other: bool) -> None:
    first, second = Assertion(new, denied), Assertion(old, other)
    assert contradict(first, second) in {True, False}
    assert not contradict(first, first)
    assert same_assertion(first, first)
    assert all(assertion_forms(second))
