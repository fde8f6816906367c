"""Practice through the whole app: it learns, stops, goes on, shows what it was worth, and can be thrown away."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from app import compose
from assistant.errors import ModelUnavailable, NotFound, StreamCut
from assistant.events import RunSoFar
from assistant.kinds import LESSON, Lesson
from assistant.papers.expnote.practice import MOST_TRIES, Exercise, Practice, curve, read_exercises
from assistant.reports.listing import EntryFilter
from assistant.settings import Settings
from assistant.types import Draft, Scope
from tests.support.damage.remains import remains
from tests.support.memory.loop import reply
from tests.support.servers.scripted import ScriptedModel, ScriptedReply
from ui.server.services import Services

pytestmark = pytest.mark.promise("practice-continues", "practice-leaves-no-trace")

ME, OTHER = Scope("me"), Scope("somebody else")
NAME = "family.csv"
KIN = read_exercises(
    "\n".join(
        [
            "question,answer",
            "Who is a mama?,uncle",
            "Who is a bua?,aunt",
            "Who is a bhatija?,nephew",
            "So who is a mama?,uncle",
            "So who is a bhatija?,nephew",
        ]
    )
)

LINES = [*KIN.cases, *KIN.held_out]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield services


def rules(practice: Practice, scope: Scope = ME, name: str = NAME) -> set[str]:
    return {entry.shown for entry in practice.lessons(name, scope)}


def answered(services: Services, question: str) -> str:
    return RunSoFar().after(services.assistant.ask(question, ME)).turn.reply.answer


def test_it_learns_and_the_held_out_show_it(services: Services) -> None:
    practice = services.practice
    cases = [*practice.cases(NAME, KIN.cases, ME)]
    assert [(one.said == one.exercise.answer, one.right) for one in cases] == [
        (False, False),
        (False, False),
        (False, False),
        (True, True),
    ]
    assert cases[0].lesson == 'For "mama" it is "uncle".'
    assert rules(practice) >= {one.lesson for one in cases if one.lesson}
    (test,) = practice.tests(NAME, KIN.held_out, ME)
    assert test.flip == "wrong to right"
    assert [(one.used, one.helped) for one in practice.lessons(NAME, ME)] == [(0, 0), (0, 0), (1, 1)]
    assert curve(cases) == [0, 0, 0, 1]
    assert rules(practice, OTHER) == set()


@pytest.mark.promise("practice-waits-to-be-kept")
def test_lessons_are_proposals_until_they_are_kept(services: Services) -> None:
    practice, unaided = services.practice, answered(services, "Who is a mama?")
    [*practice.cases(NAME, KIN.cases, ME)]
    assert answered(services, "Who is a mama?") == unaided != "uncle"
    assert practice.keep(NAME, OTHER) == 0
    assert practice.keep(NAME, ME) == 3
    assert practice.keep(NAME, ME) == 0
    assert answered(services, "Who is a mama?") == "uncle"
    assert practice.forget(NAME, ME) == 3
    assert answered(services, "Who is a mama?") == unaided
    assert services.assistant.memory.find(ME, EntryFilter(kind=LESSON.name)).total == 0


@pytest.mark.promise("practice-waits-to-be-kept")
def test_practice_changes_no_lesson_that_was_kept(services: Services) -> None:
    practice, memory = services.practice, services.assistant.memory
    body = Lesson(key="Who is a mama?", rule='For "mama" it is "nephew".')
    known = memory.remember(Draft(LESSON, body.key, body, body.key), ME)
    [*practice.cases(NAME, [KIN.cases[0]] * 3, ME)]
    assert replace(memory.entry(known.id, ME), used=0) == known
    assert answered(services, body.key) == "nephew"
    assert practice.keep(NAME, ME) == 1
    assert answered(services, body.key) == "uncle"


def test_a_kept_lesson_takes_the_place_of_another_under_its_key(services: Services) -> None:
    practice = services.practice
    for name, answer in (("a", "be right back"), ("b", "bathroom break")):
        [*practice.cases(name, [Exercise('What does "brb" mean?', answer)], ME)]
    assert (practice.keep("a", ME), practice.keep("b", ME)) == (1, 1)
    assert answered(services, 'What does "brb" mean?') == "bathroom break"
    assert rules(practice, name="a") == set()


def test_it_stops_and_goes_on(services: Services) -> None:
    practice = services.practice
    first = [*islice(practice.cases(NAME, KIN.cases, ME), 2)]
    turns = services.conversations.conversations(ME)
    assert [one.title for one in turns] == [KIN.cases[0].question]
    asked = services.assistant.turns(turns[0].id, ME)
    assert len(asked) == 2
    again = [*practice.cases(NAME, KIN.cases, ME)]
    assert [replace(one, lesson="") for one in first] == again[:2]
    assert [turn.question for turn in services.assistant.turns(turns[0].id, ME)] == [one.question for one in KIN.cases]
    assert [replace(one, lesson="") for one in again] == [*practice.cases(NAME, KIN.cases, ME)]


def test_the_same_question_twice_is_two_cases(services: Services) -> None:
    cases = [Exercise("Who is a mama?", answer) for answer in ("nephew", "uncle")]
    assert [one.right for one in services.practice.cases(NAME, cases, ME)] == [False, False]
    assert [one.right for one in services.practice.cases(NAME, cases, ME)] == [False, False]
    (conversation,) = services.conversations.conversations(ME)
    assert len(services.assistant.turns(conversation.id, ME)) == 2


def test_nothing_is_kept_of_the_held_out_and_of_what_questions_tell(services: Services) -> None:
    told = Exercise("My sister is Priya. What is Priya to me?", "sister")
    [*services.practice.cases(NAME, [told], ME)]
    before = services.assistant.memory.entries(ME)
    assert [entry.kind.name for entry in before if entry.kind.name != "lesson"] == []
    assert len([*services.practice.tests(NAME, LINES, ME)]) == len(LINES)
    assert services.assistant.memory.entries(ME) == before
    (conversation,) = services.conversations.conversations(ME)
    assert len(services.assistant.turns(conversation.id, ME)) == 1


@pytest.mark.parametrize(
    "question",
    ["No, I meant the opposite.", "Remember that Dana lives in Pune.", "thanks", "क्या?", "?", "my boss is Kim"],
)
def test_whatever_stands_in_a_line_is_asked_as_a_question(services: Services, question: str) -> None:
    exercises = [LINES[0], Exercise(question, "yes")]
    assert len([*services.practice.cases(NAME, exercises, ME)]) == 2
    assert len([*services.practice.tests(NAME, exercises, ME)]) == 2
    assert {entry.kind.name for entry in services.assistant.memory.entries(ME)} == {"lesson"}


def test_thrown_away_as_a_whole_what_was_there_before_is_back(services: Services) -> None:
    practice = services.practice
    [*practice.cases("other", [Exercise("Who is a mama?", "nephew")], ME)]
    assert practice.keep("other", ME) == 1
    [*practice.cases(NAME, KIN.cases, ME)]
    assert practice.keep(NAME, ME) == 3
    assert rules(practice, name="other") == set()
    assert practice.forget(NAME, ME) == 3
    assert rules(practice) == set()
    assert rules(practice, name="other") == {'For "mama" it is "nephew".'}
    assert len(services.conversations.conversations(ME)) == 1
    assert practice.forget(NAME, ME) == 0


def test_no_byte_stays_of_what_is_thrown_away(services: Services, tmp_path: Path) -> None:
    practice = services.practice
    [*practice.cases(NAME, [Exercise('What does "zqxv" mean?', "be right back")], ME)]
    assert practice.keep(NAME, ME) == 1
    assert practice.forget(NAME, ME) == 1
    services.close()
    assert remains(tmp_path, ["zqxv", "be right back"]) == []


def test_thrown_away_after_another_took_its_place_it_never_comes_back(services: Services) -> None:
    practice = services.practice
    for name, answer in (("a", "be right back"), ("b", "bathroom break")):
        [*practice.cases(name, [Exercise('What does "brb" mean?', answer)], ME)]
        assert practice.keep(name, ME) == 1
    assert rules(practice, name="a") == set()
    assert practice.forget("a", ME) == 1
    assert len(rules(practice, name="b")) == 1
    assert practice.forget("b", ME) == 1
    assert services.assistant.memory.entries(ME) == []


def test_it_is_thrown_away_whatever_was_noted_since(services: Services) -> None:
    [*services.practice.cases(NAME, KIN.cases[:1], ME)]
    for number in range(1_000):
        body = Lesson(key=f"key {number}", rule=f'For "{number}" it is "{number}".')
        services.assistant.memory.remember(Draft(LESSON, body.key, body, body.key), ME)
    assert rules(services.practice) == {'For "mama" it is "uncle".'}
    assert services.practice.forget(NAME, ME) == 1
    assert rules(services.practice) == set()
    assert services.assistant.memory.find(ME, EntryFilter("uncle")).total == 0


def connected(services: Services, *replies: ScriptedReply) -> tuple[Practice, ScriptedModel]:
    model = ScriptedModel(replies)
    return services.practice.with_parts({"model": model, **services.models.connected}), model


def test_a_language_model_notes_and_is_right_in_a_sentence(services: Services) -> None:
    practice, _ = connected(
        services,
        reply("who that is", "That is a relative."),
        "THINK: of the mother\nNOTE[mother, brother]: A mother's brother is an uncle.",
        reply("who that is", "It is your uncle, he is.", notes="1"),
        reply("who that is", "A relative."),
    )
    (case,) = practice.cases(NAME, KIN.cases[:1], ME)
    assert (case.right, case.lesson) == (False, "A mother's brother is an uncle.")
    (test,) = practice.tests(NAME, [Exercise("What is my mother's brother to me?", "Uncle.")], ME)
    assert test.flip == "wrong to right"
    assert test.used == tuple(entry.id for entry in practice.lessons(NAME, ME))


def test_a_failure_ends_it_and_after_three_the_case_is_passed_over(services: Services) -> None:
    fails = [ModelUnavailable()] * MOST_TRIES
    practice, _ = connected(services, *fails, reply("who", "an aunt"), "NONE")
    for _ in range(MOST_TRIES):
        (case,) = practice.cases(NAME, KIN.cases[:2], ME)
        assert case.error == ModelUnavailable().sentence
    passed, asked = practice.cases(NAME, KIN.cases[:2], ME)
    assert (passed.right, passed.said, passed.error) == (False, "", None)
    assert asked.right


def test_a_held_out_question_that_fails_is_wrong_and_the_rest_is_asked(services: Services) -> None:
    fails = [ModelUnavailable()] * MOST_TRIES
    practice, model = connected(services, ModelUnavailable(), reply("who", "an aunt"), *fails, reply("who", "x"))
    failed, asked, *rest = practice.tests(NAME, [*KIN.cases[:2], *LINES], ME)
    assert (failed.flip, failed.error) == ("wrong to wrong", ModelUnavailable().sentence)
    assert (asked.flip, asked.error) == ("right to right", None)
    assert [one.error for one in rest] == [ModelUnavailable().sentence] * MOST_TRIES
    assert len(model.asked) == 2 + MOST_TRIES


def test_a_lesson_that_cannot_be_written_loses_no_answer(services: Services) -> None:
    note = "NOTE[mother, brother]: A mother's brother is an uncle."
    replies = (reply("who", "a relative"), ModelUnavailable(), note, reply("who", "an aunt"), "NONE")
    practice, _ = connected(services, *replies)
    with pytest.raises(ModelUnavailable):
        [*practice.cases(NAME, KIN.cases[:2], ME)]
    done = [*practice.cases(NAME, KIN.cases[:2], ME)]
    assert [(one.right, one.lesson) for one in done] == [(False, "A mother's brother is an uncle."), (True, "")]
    assert len([*practice.cases(NAME, KIN.cases[:2], ME)]) == 2


def test_a_case_of_which_nothing_can_be_noted_is_passed_over_after_three_tries(services: Services) -> None:
    fails = [ModelUnavailable()] * MOST_TRIES
    practice, _ = connected(services, reply("who", "a relative"), *fails, reply("who", "an aunt"), "NONE")
    for _ in fails:
        with pytest.raises(ModelUnavailable):
            [*practice.cases(NAME, KIN.cases[:2], ME)]
    assert [one.right for one in practice.cases(NAME, KIN.cases[:2], ME)] == [False, True]


def test_case_interrupted_while_noting_is_learnt_from_later(services: Services) -> None:
    note = "NOTE[mother, brother]: A mother's brother is an uncle."
    practice, model = connected(services, reply("who", "a relative"), *[note] * (MOST_TRIES + 1))
    asked = 1

    def is_stopped() -> bool:
        return len(model.asked) > asked

    for _ in range(MOST_TRIES):
        with pytest.raises(StreamCut):
            [*replace(practice, is_stopped=is_stopped).cases(NAME, KIN.cases[:1], ME)]
        asked = len(model.asked)
    (case,) = practice.cases(NAME, KIN.cases[:1], ME)
    assert case.lesson == "A mother's brother is an uncle."


def test_a_practice_is_of_one_person(services: Services) -> None:
    [*services.practice.cases(NAME, KIN.cases, ME)]
    assert services.practice.forget(NAME, OTHER) == 0
    (conversation,) = services.conversations.conversations(ME)
    with pytest.raises(NotFound):
        services.conversations.erase(conversation.id, OTHER)
    assert rules(services.practice)
