"""What a correction denies, and the value that it gives in the place of another."""

import pytest

from assistant.feedback.values import new_value, undenied
from memory_store.language.languages import LANGUAGES

pytestmark = pytest.mark.promise("correction-never-worse")


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("not money, side of a river", "side of a river"),
        ("the side of a river, not money", "the side of a river"),
        ("ਮਤਲਬ ਨਹੀਂ, ਉਲਟ", "ਉਲਟ"),
        ("not the direction", ""),
    ],
)
def test_denied_part_is_left_out(said: str, left: str) -> None:
    assert undenied(said) == left


@pytest.mark.parametrize(
    ("said", "old", "question", "value"),
    [
        ("not dana its priya", "Dana", "who is my manager?", "priya"),
        ("green, not red", "Red", "what is my favourite colour?", "green"),
        ("it moved to 8 pm", "6 pm", "when is my flight?", "8 pm"),
        ("ab Ludhiane ch rehnde ne", "Patiala", "mere nanke kithe ne?", "Ludhiane"),
        ("who told you that", "Dana", "who is my manager?", ""),
        ("Lin or Neha", "Dana", "who is my manager?", ""),
        ("", "Dana", "who is my manager?", ""),
    ],
)
def test_new_value_is_found(said: str, old: str, question: str, value: str) -> None:
    assert new_value(said, old, question, LANGUAGES) == value
