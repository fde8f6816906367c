"""Practice through the whole app: it learns, stops, continues, shows its effect, and can be discarded."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from assistant.errors import ContentRefused, ModelError, ModelUnavailable, NotFound, StreamCut
from assistant.kinds import LESSON, Lesson
from assistant.papers.expnote.practice import Exercise, Practice, Practised, read_exercises
from assistant.reports.listing import EntryFilter
from assistant.types import Entry, NewEntry, Scope
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.loop import ME, OTHER, last, reply
from tests.support.servers.scripted import ScriptedModel, ScriptedReply
from ui.server.services import Services

pytestmark = pytest.mark.promise("practice-continues", "practice-leaves-no-trace")

NAME = "family.csv"
MAMA = "Who is a mama?"
FAMILY = (
    f"question,answer\n{MAMA},uncle\nWho is a bua?,aunt\nWho is a bhatija?,nephew\nSo who is a mama?,uncle\n"
    "So who is a bhatija?,nephew"
)
KIN = read_exercises(FAMILY)
NOTE = "NOTE[mother, brother]: A mother's brother is an uncle."


def rules(practice: Practice, scope: Scope = ME, name: str = NAME) -> set[str]:
    return {entry.shown for entry in practice.lessons(name, scope)}


def answered(services: Services, question: str) -> str:
    return last(services.assistant.ask(question, ME)).reply.answer


def remembered(services: Services, key: str, rule: str) -> Entry:
    return services.assistant.memory.remember(NewEntry(LESSON, key, Lesson(key=key, rule=rule), key), ME)


def test_held_out_questions_measure_lessons(services: Services) -> None:
    practice = services.practice
    cases = [*practice.cases(NAME, KIN.cases, ME)]
    assert [(one.said == one.exercise.answer, one.right) for one in cases] == [*[(False, False)] * 3, (True, True)]
    assert 'For "mama" it is "uncle".' in rules(practice)
    (test,) = practice.tests(NAME, KIN.held_out, ME)
    assert (test.before, test.right) == (False, True)
    assert [(one.used, one.helped) for one in practice.lessons(NAME, ME)] == [(0, 0), (0, 0), (1, 1)]
    assert Practised(tuple(cases)).curve == [0, 0, 0, 1]
    assert (rules(practice, OTHER), practice.forget(NAME, OTHER)) == (set(), 0)
    (conversation,) = services.conversations.conversations(ME)
    with pytest.raises(NotFound):
        services.conversations.erase(conversation.id, OTHER)


@pytest.mark.promise("practice-waits-to-be-kept")
def test_lessons_wait_until_they_are_kept(services: Services) -> None:
    practice, unaided = services.practice, answered(services, MAMA)
    [*practice.cases(NAME, KIN.cases, ME)]
    assert answered(services, MAMA) == unaided != "uncle"
    assert practice.keep(NAME, OTHER) == 0
    assert [practice.keep(NAME, ME) for _ in range(2)] == [3, 0]
    assert answered(services, MAMA) == "uncle"
    assert practice.forget(NAME, ME) == 3
    assert answered(services, MAMA) == unaided
    assert services.assistant.memory.find(ME, EntryFilter(kind=LESSON.name)).total == 0


@pytest.mark.promise("practice-waits-to-be-kept")
def test_practice_changes_no_kept_lesson(services: Services) -> None:
    practice, memory = services.practice, services.assistant.memory
    known = remembered(services, MAMA, 'For "mama" it is "nephew".')
    [*practice.cases(NAME, [KIN.cases[0]] * 3, ME)]
    assert replace(memory.entry(known.id, ME), used=0) == known
    assert answered(services, MAMA) == "nephew"
    assert practice.keep(NAME, ME) == 1
    assert answered(services, MAMA) == "uncle"


def test_practice_stops_and_continues(services: Services) -> None:
    practice = services.practice
    first = [*islice(practice.cases(NAME, KIN.cases, ME), 2)]
    (conversation,) = services.conversations.conversations(ME)
    assert conversation.title == KIN.cases[0].question
    assert len(services.assistant.turns(conversation.id, ME)) == 2
    again = [*practice.cases(NAME, KIN.cases, ME)]
    assert first == again[:2]
    asked = [one.question for one in KIN.cases]
    assert [turn.question for turn in services.assistant.turns(conversation.id, ME)] == asked
    assert again == [*practice.cases(NAME, KIN.cases, ME)]

    twice = [Exercise(MAMA, answer) for answer in ("nephew", "uncle")]
    for _ in range(2):
        assert [one.right for one in practice.cases("twice", twice, ME)] == [False, False]
    newest = services.conversations.conversations(ME)[0]
    assert len(services.assistant.turns(newest.id, ME)) == 2


def test_exercises_are_asked_as_questions_only(services: Services) -> None:
    told = [
        "My sister is Priya. What is she to me?",
        "No, I meant the opposite.",
        "Remember that Dana is in Pune.",
        "?",
    ]
    exercises = [KIN.cases[0], *(Exercise(one, "sister") for one in told)]
    assert len([*services.practice.cases(NAME, exercises, ME)]) == len(exercises)
    before = services.assistant.memory.entries(ME)
    assert {entry.kind.name for entry in before} == {"lesson"}
    assert len([*services.practice.tests(NAME, exercises, ME)]) == len(exercises)
    assert services.assistant.memory.entries(ME) == before
    (conversation,) = services.conversations.conversations(ME)
    assert len(services.assistant.turns(conversation.id, ME)) == len(exercises)


def test_discarding_brings_back_what_was_before(services: Services) -> None:
    practice = services.practice
    [*practice.cases("other", [Exercise(MAMA, "nephew")], ME)]
    assert practice.keep("other", ME) == 1
    [*practice.cases(NAME, KIN.cases, ME)]
    assert practice.keep(NAME, ME) == 3
    assert rules(practice, name="other") == set()
    for number in range(1_000):  # more than one page
        remembered(services, f"key {number}", f'For "{number}" it is "{number}".')
    assert practice.forget(NAME, ME) == 3
    assert rules(practice) == set()
    assert rules(practice, name="other") == {'For "mama" it is "nephew".'}
    assert len(services.conversations.conversations(ME)) == 1
    assert practice.forget(NAME, ME) == 0


def test_discarding_leaves_no_byte(services: Services, tmp_path: Path) -> None:
    practice = services.practice
    [*practice.cases(NAME, [Exercise('What does "zqxv" mean?', "be right back")], ME)]
    assert practice.keep(NAME, ME) == 1
    assert practice.forget(NAME, ME) == 1
    services.close()
    assert find_bytes(tmp_path, ["zqxv", "be right back"]) == []


def connected(services: Services, *replies: ScriptedReply) -> tuple[Practice, ScriptedModel]:
    model = ScriptedModel(replies)
    return services.practice.with_parts({"model": model, **services.models.connected}), model


def test_refused_case_is_wrong_and_others_follow(services: Services) -> None:
    practice, _ = connected(services, ContentRefused(), reply("who", "an aunt"), ContentRefused(), ModelUnavailable())
    cases = practice.cases(NAME, KIN.cases[:3], ME)
    assert [(one.said, one.right) for one in islice(cases, 2)] == [("", False), ("an aunt", True)]
    assert rules(practice) == set()
    with pytest.raises(ModelError, match=str(ModelUnavailable())):
        next(cases)


def test_failed_note_is_written_later(services: Services) -> None:
    replies = (reply("who", "a relative"), ModelUnavailable(), NOTE, reply("who", "an aunt"), "NONE")
    practice, _ = connected(services, *replies)
    with pytest.raises(ModelUnavailable):
        [*practice.cases(NAME, KIN.cases[:2], ME)]
    done = [*practice.cases(NAME, KIN.cases[:2], ME)]
    assert [one.right for one in done] == [False, True]
    assert rules(practice) == {"A mother's brother is an uncle."}

    practice, model = connected(services, reply("who", "a relative"), NOTE, NOTE)
    stopping = replace(practice, is_stopped=lambda: len(model.asked) > 1)
    with pytest.raises(StreamCut):  # interrupted while noting
        [*stopping.cases("cut", KIN.cases[:1], ME)]
    [*practice.cases("cut", KIN.cases[:1], ME)]
    assert rules(practice, name="cut") == {"A mother's brother is an uncle."}
