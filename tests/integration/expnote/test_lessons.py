"""Lessons are found, counted and paused, through the whole app."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from assistant.kinds import LESSON, Lesson
from assistant.papers.expnote.feedback import weigh
from assistant.papers.expnote.noting import Drawn
from assistant.reports.listing import EntryFilter
from assistant.types import Action, Decision, Entry, Scope, Turn
from tests.support.memory.loop import ME, last, reply
from tests.support.servers.scripted import ScriptedModel
from ui.server.services import Services

QUESTION = 'Who is "mama"?'
NEPHEW = 'For "mama" it is "nephew".'


@pytest.fixture
def services(composed: Callable[..., Services]) -> Services:
    return composed()


def ask(services: Services, question: str, scope: Scope = ME, conversation: str = "") -> Turn:
    return last(services.assistant.ask(question, scope, conversation or question))


def lessons(services: Services) -> Sequence[Entry]:
    return services.assistant.memory.find(ME, EntryFilter(kind=LESSON.name)).entries


def note(services: Services, key: str, rule: str) -> Entry:
    return services.assistant.memory.remember(Drawn(Lesson(key=key, rule=rule)).draft("embedded", ""), ME)


def test_paused_lesson_says_why(services: Services) -> None:
    wrong = note(services, QUESTION, NEPHEW)

    def decision(conversation: str) -> tuple[Turn, Decision]:
        turn = ask(services, QUESTION, conversation=conversation)
        return turn, next(one for one in turn.decisions if one.entry.id == wrong.id)

    services.assistant.memory.pause(wrong.id, ME)
    assert str(decision("paused")[1].reason) == "Left out: you paused it."
    services.assistant.memory.resume(wrong.id, ME)
    for conversation in "ab":
        turn, _ = decision(conversation)
        assert turn.used == (wrong.id,)
        weigh(turn, services.assistant.memory, ME, was_right=False)
    turn, paused = decision("c")
    assert (turn.used, str(paused.reason)) == ((), "Left out: it is paused, as it led to wrong answers.")


def test_model_sees_the_lessons_of_all_words(services: Services) -> None:
    words = ("sleep", "official", "neglect", "table", "green", "house")
    entries = {word: note(services, word, f"The letters of {word} are {', '.join(word)}.") for word in words}
    question = 'Splice the 5th letter of "sleep", the 2nd letter of "official", and the 5th letter of "neglect".'
    model = ScriptedModel([reply("the letters, spliced", "pfe", notes="1, 3")])
    services = replace(services, assistant=services.assistant.with_parts(services.models.connected, model=model))
    turn = ask(services, question)
    shown = [decision.entry.question for decision in turn.decisions if decision.action is Action.OFFER]
    assert set(words[:3]) <= set(shown)
    assert turn.used == tuple(entries[shown[place]].id for place in (0, 2))
    counted = {entry.question: (entry.used, entry.declined) for entry in lessons(services)}
    assert counted == dict.fromkeys(words, (0, 0)) | {
        **dict.fromkeys(shown, (0, 1)),
        **dict.fromkeys((shown[0], shown[2]), (1, 0)),
    }
