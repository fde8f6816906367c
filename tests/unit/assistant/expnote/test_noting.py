"""A language model writes lessons step by step, and exercises are read from a table; malformed ones are refused."""

from datetime import UTC, datetime

import pytest

from assistant.errors import InputError
from assistant.kinds import LESSON, Lesson
from assistant.papers.expnote.lessons import LONGEST_RULE, LessonCase, NoteByModel
from assistant.papers.expnote.practice import Exercise, Practised, TriedCase, read_exercises
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import PromptBuilder
from assistant.types import Entry, Key, Scope, Status
from memory_store.language.languages import LANGUAGES
from tests.support.memory.loop import PROMPTS
from tests.support.servers.scripted import ScriptedModel

pytestmark = pytest.mark.promise("practice-files-are-checked", "practice-waits-to-be-kept")

ME = Scope("me")
CASE = LessonCase("Bob is Ann's brother. Cy is Bob's son. What is Cy to Ann?", "nephew", "a cousin")
RULE = "If B is the brother of A and C is the son of B, then C is the nephew of A."
PROMPTING = PromptBuilder(PROMPTS, b"0123456789abcdef", "connected")


class SmallModel(ScriptedModel):
    is_small = True


def entry(key: str, rule: str) -> Entry:
    body, created = Lesson(key=key, rule=rule), datetime(2026, 1, 1, tzinfo=UTC)
    return Entry(LESSON, key, body, f"id of {key}", "me", False, Status.ACTIVE, 0, created, (Key(key),))


def note(model: ScriptedModel, case: LessonCase, *known: Entry) -> Lesson | None:
    return NoteByModel(model, PROMPTING, LANGUAGES)(case, known, ME, lambda: False)


def test_note_sees_the_lessons_of_its_question() -> None:
    replied = "THINK: Cy is the son of the brother of Ann."
    model = ScriptedModel([f"{replied}\nNOTE[brother, son]: {RULE}\nNOTE[second]: Another lesson."])
    known, other = entry("brother", "A brother is a sibling."), entry("mother", "A mother is a parent.")
    lesson = Lesson(key="brother, son", rule=RULE, from_right=False, in_view=(known.id,))
    assert note(model, CASE, known, other) == lesson
    ((_, user),) = model.asked
    case, lessons = read_blocks(user.content)[0]
    assert case.rows == ({"question": CASE.question, "right answer": "nephew", "answered": "a cousin"},)
    assert lessons.rows == ({"key": "brother", "lesson": known.shown},)
    assert not model.running


def test_lesson_replaces_one_of_its_key() -> None:
    wrong = entry("brother", "A brother's son is a cousin.")
    case = LessonCase("Who is my brother 's son?", "nephew", "Nephew.")
    lesson = note(ScriptedModel([f"- **note** [Brother]: {RULE}"]), case, wrong)
    right = Lesson(key="Brother", rule=RULE, from_right=True, wrong_understanding=wrong.shown, in_view=(wrong.id,))
    assert lesson == right


def test_only_line_of_a_small_model_is_a_lesson_if_it_says_the_answer() -> None:
    case, line = LessonCase("What is Bob's son to Ann?", "nephew", "a cousin"), "The right answer is nephew."
    lesson = Lesson(key=case.question, rule=f"{case.question} {line}", from_right=False)
    assert note(ScriptedModel([f"{line} The key is nephew."]), case) == lesson
    for reply in ("The right answer is a mystery.", f"I think:\n{line}"):
        assert note(ScriptedModel([reply]), case) is None
    vague = "NOTE[son]: Read the question with care."
    assert note(ScriptedModel([vague]), case)
    assert note(SmallModel([vague]), case) is None
    assert note(SmallModel([f"{vague}\nNOTE[brother, son]: {RULE}"]), case) == Lesson(key="brother, son", rule=RULE)


@pytest.mark.parametrize(
    "reply",
    [
        "NONE",
        f"NOTE[brother]: {'long ' * LONGEST_RULE}",
        "THINK: a\nTHINK: b\nTHINK: c\nTHINK: d\nNOTE[brother]: too late",
        "<think>" + "I wonder. " * 2_000,
        "NOTE[other]: a brother's son is a NEPHEW.",
    ],
)
def test_reply_without_lesson_is_none(reply: str) -> None:
    model = ScriptedModel([reply])
    known = entry("son", "A brother's son is a nephew.")
    assert note(model, LessonCase("my brother son ?", "nephew", "cousin"), known) is None
    assert (len(model.asked), model.running) == (1, 0)


def test_first_line_may_be_a_header() -> None:
    assert [one.question for one in read_exercises("Question,Answer\nhot,cold\n").cases] == ["hot"]
    other = read_exercises("Frage;Antwort\nWho is it?;Bo\n", header=True)
    assert other.cases == [Exercise("Who is it?", "Bo")]


@pytest.mark.parametrize("line", ["only a question", "a, b, c?,d", ",b", '"a?', "\u200b,b"])
def test_bad_line_refuses_the_table(line: str) -> None:
    with pytest.raises(InputError, match=r"^Line 3"):
        read_exercises(f"question,answer\n\n{line}\nc?,d")


@pytest.mark.parametrize(("lines", "held_out"), [(2, 0), (3, 1), (101, 20)])
def test_last_fifth_is_held_out(lines: int, held_out: int) -> None:
    exercises = read_exercises("\n".join(f"{number}?,{number}" for number in range(lines)), header=False)
    assert len(exercises.held_out) == held_out
    assert [one.answer for one in (*exercises.cases, *exercises.held_out)] == [*map(str, range(lines))]


ASKED = Exercise("a?", "b")


def tried(*used: str, right: bool, before: bool = False) -> TriedCase:
    return TriedCase(ASKED, "b" if right else "c", right, used, before=before)


@pytest.mark.parametrize(("before", "after", "worse"), [("11", "10", True), ("10", "01", False), ("", "", False)])
def test_fewer_right_answers_are_worse(before: str, after: str, *, worse: bool) -> None:
    tests = tuple(tried(right=other == "1", before=one == "1") for one, other in zip(before, after, strict=True))
    assert Practised(tests=tests).is_worse is worse
