"""What is said before anything is asked gets one kind sentence of the embedded model."""

import pytest

from assistant.models.embedded.phrases import SMALL_TALK, small_talk
from tests.support.texts.word_questions import ask


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hello!", "greeted"), ("namaste", "greeted"), ("ਸਤ ਸ੍ਰੀ ਅਕਾਲ।", "greeted"), ("Thanks!!", "thanked"),
        ("who are you?", "asked_who"), ("What do you know about me?", "asked_known"),
        ("मेरे बारे में क्या जानते हो?", "asked_known"), ("forget that my manager is Bob", "asked_to_forget"),
    ],
)  # fmt: skip
def test_small_talk_is_answered_in_a_sentence(message: str, kind: str) -> None:
    assert SMALL_TALK[ask(message).understanding] == kind


@pytest.mark.parametrize(
    "message", ["what does hello mean?", "another word for thanks", "who is my manager?", "help me"]
)
def test_a_question_is_no_small_talk(message: str) -> None:
    assert small_talk(message) == ""
