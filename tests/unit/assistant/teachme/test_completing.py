"""A change that names only the new value is completed from the fact before it, or is none."""

import pytest

from assistant.feedback.completing import complete_change
from assistant.reasoning.reasoner import Reasoner
from memory_store.language.languages import LANGUAGES

REASONER = Reasoner(LANGUAGES)


@pytest.mark.parametrize(
    ("told", "message", "fact"),
    [
        ("my girl goes to Hill School", "we moved her, she goes to St Anns now", "my girl goes to St Anns"),
        ("mere vakeel da naa Brar aa", "hun vakeel badal gya, Sodhi aa", "mere vakeel da naa Sodhi aa"),
        ("my fav colour is red", "nah make that blue", "my fav colour is blue"),
        ("मेरा पसंदीदा खेल हॉकी है", "अरे गलत बोला, कबड्डी है", "मेरा पसंदीदा खेल कबड्डी है"),
        ("my phone number is 11", "changed my number to 22", "my phone number is 22"),
    ],
)
def test_change_is_completed(told: str, message: str, fact: str) -> None:
    assert complete_change(message, told, REASONER) == fact


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("my landlord is Mr Roy", "it's raining now"),
        ("meri behen Pune mein rehti hai", "bhai ab Delhi me hai"),
        ("mera phone samsung ka hai", "nahi, ek joke sunao"),
        ("my pin is 11", "my pin is 22 now"),
        ("mera boss Farhan hai", "Farhan ab Mysore mein rehta hai"),
    ],
)
def test_other_message_is_no_change(told: str, message: str) -> None:
    assert complete_change(message, told, REASONER) == ""
