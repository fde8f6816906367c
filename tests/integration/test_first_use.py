"""What a person does first, in three languages, on the embedded model and embedder, with nothing scripted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from app import EXAMPLES, compose
from assistant import Scope, Settings
from assistant.types import Action, Event, Finished, Turn

ME = Scope("me")

FIRST_USES = [
    (EXAMPLES[0], "no, I meant a synonym", "fast", "What is akin to enormous?", ("large", "huge")),
    (
        EXAMPLES[1],
        "nahi, mera matlab same meaning wala shabd",
        "fast",
        "huge jaisa koi shabd batao",
        ("big", "large", "vast"),
    ),
    (
        EXAMPLES[2],
        "nahi, main ohi matlab wala shabad mangda si",
        "rapid",
        "huge varga shabad dasso",
        ("big", "large", "vast"),
    ),
]


def last(events: Iterable[Event]) -> Turn:
    return [event.turn for event in events if isinstance(event, Finished)][-1]


@pytest.mark.parametrize(
    ("question", "words", "answer", "other", "answers"), FIRST_USES, ids=["English", "Hindi", "Punjabi"]
)
def test_misunderstood_once_then_right_for_another_word_also_after_a_restart(
    tmp_path: Path, question: str, words: str, answer: str, other: str, answers: tuple[str, ...]
) -> None:
    settings = Settings.load({"NOTED_HOME": str(tmp_path)})
    services = compose(settings)
    wrong = last(services.assistant.ask(question, ME))
    assert wrong.reply.answer != answer
    right = last(services.assistant.ask(words, ME, wrong.conversation))
    assert (right.question, right.reply.answer) == (question, answer)
    services.close()
    services = compose(settings)
    turn = last(services.assistant.ask(other, ME))
    services.close()
    assert turn.reply.answer in answers
    assert turn.used == (right.used[0],)
    assert turn.decisions[0].action is Action.USE
    assert "only the word asked about differs" in turn.decisions[0].reason
