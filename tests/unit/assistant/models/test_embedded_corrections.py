"""What a correction changes of an answer about a word; what cannot be followed for sure changes nothing."""

import pytest

from assistant.reply.grammar import NONE_FOLLOWED
from assistant.reply.parser import parse_reply
from tests.support.texts.word_questions import MODEL, ask, prompt

pytestmark = pytest.mark.promise("correction-never-worse")


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        ("What does crane mean?", "I mean the bird", "a kind of wading bird"),
        ("garam ka ulta kya hai?", "angrezi mein batao", "cold"),
        ("opposite of hot", "in capitals", "COLD"),
        ("opposite of generous", "wrong. it's selfish", "selfish"),
        ("whats my name", "my name is Harpreet", "Harpreet"),
        ("synonym for big", "one that starts with h", "huge"),
        ("what is water in punjabi", "i meant in gurmukhi", "ਪਾਣੀ"),
    ],
)
def test_correction_is_followed(question: str, said: str, answer: str) -> None:
    assert answer in _replied(question, said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("capital of france", "capital letters? no, where is it on the map"),
        ("what does weather mean", "kal ka mausam bata delhi ka"),
        ("slow ka opposite", "galat hai yaar"),
    ],
)
def test_correction_that_fails_changes_nothing(question: str, said: str) -> None:
    raw = _raw(question, said)
    assert raw.startswith(NONE_FOLLOWED)
    assert parse_reply(raw).answer == ask(question).answer


@pytest.mark.parametrize("question", ["my boss is mean to me", "kal ka match kaun jeeta", "asdfghjkl"])
def test_no_task_is_guessed(question: str) -> None:
    assert ask(question).understanding == "I can't answer this one."


def test_misspelled_word_is_mended() -> None:
    assert ask("seperate ka ulta").answer == "joint"


def test_senses_stand_in_a_line_each() -> None:
    answer = ask("what does bank mean").answer
    assert [line[:2] for line in answer.splitlines()] == ["ba", "1.", "2.", "3."]
    assert "slope" in answer
    assert "financial institution" in answer


def _raw(question: str, said: str) -> str:
    return "".join(MODEL.stream(prompt(question, said, about=question)))


def _replied(question: str, said: str) -> str:
    return parse_reply(_raw(question, said)).answer
