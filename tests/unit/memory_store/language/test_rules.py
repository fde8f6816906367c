"""Whether two rules say the same in other words."""

import pytest

from memory_store.language.rules import is_same_rule

RULE = "A mother's brother is an uncle."
SAME = ("The brother of a mother is an uncle.", "a mother’s brother is an uncle", "An uncle is the brother of a mother")
OTHER = (
    RULE,
    "A brother's mother is an uncle.",
    "The mother of a brother is an uncle.",
    "A mother's brother is an aunt.",
    "A mother's brother is not an uncle.",
    "A mother's sister's brother is an uncle.",
    "x",
    f"{RULE} " * 30,
)


@pytest.mark.parametrize(("other", "is_same"), [*((each, True) for each in SAME), *((each, False) for each in OTHER)])
def test_the_same_in_other_words(other: str, *, is_same: bool) -> None:
    assert is_same_rule(RULE, other) == is_same_rule(other, RULE) == is_same


def test_whose_it_is_goes_together_in_its_order() -> None:
    rule = "A mother's brother's son is a cousin."
    assert is_same_rule("The son of the brother of a mother is a cousin.", rule)
    assert not is_same_rule("The brother of the son of a mother is a cousin.", rule)
