"""Operations that learn from a text of the user: practice on questions, and study questions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.errors import InputError, ModelError, NotedError, TooOften
from assistant.papers.expnote.practice import (
    FLIPS,
    Exercises,
    Tried,
    curve,
    disagreeing,
    is_worse,
    read_exercises,
)
from assistant.papers.selection.study import SAMPLES, Passage, Study, StudyQuestion
from assistant.sentences import Sentence
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import checked
from assistant.types import Entry
from ui.actions.arguments import LONGEST_TEXT, Header, TableFile, TextFile
from ui.actions.call import Call
from ui.actions.operation import Effect, operation
from ui.actions.results import Done
from ui.words.study import MadeQuestions, made_question
from ui.words.texts import counted

_MOST_SHOWN = 20  # lessons, and cases that disagree


class LessonEffect(TypedDict):
    """A lesson of a practice, and what it did."""

    entry: str
    lesson: str
    used: Annotated[int, Field(description="Answers that used it.")]
    right: Annotated[int, Field(description="Those of them that were right.")]
    paused: bool


class PracticeSoFar(TypedDict):
    """How a practice goes."""

    done: int
    of: Annotated[int, Field(description="Questions, those that are held out among them.")]
    learnt_from: int
    right: Annotated[int, Field(description="Of those it learnt from.")]
    curve: Annotated[list[float], Field(description="Share of right answers in each tenth.")]
    disagreeing: Annotated[list[str], Field(description="Cases that lessons answer otherwise, in words.")]
    held_out: Annotated[int, Field(description="Questions that show what the lessons are worth.")]
    right_before: Annotated[int, Field(description="Of these, right without the lessons.")]
    right_after: Annotated[int, Field(description="Of these, right with them.")]
    flips: Annotated[dict[str, int], Field(description="How many became right or wrong.")]
    lessons: list[LessonEffect]
    error: Annotated[str, Field(description="Why it ended early; the same call goes on. Mostly empty.")]
    sentence: Annotated[str, Field(description="What can be done next.")]


@dataclass(frozen=True, slots=True)
class Practised:
    """How far a practice came."""

    count: int  # exercises
    cases: tuple[Tried, ...] = ()
    tests: tuple[Tried, ...] = ()
    lessons: Sequence[Entry] = ()
    error: Sentence | None = None  # that it ended with
    kept: bool = False

    @property
    def is_over(self) -> bool:
        return self.error is None and len(self.cases) + len(self.tests) == self.count


def _next(so_far: Practised) -> str:
    """Return what can be done next."""
    if so_far.error:
        return f"{so_far.error} Nothing is lost; the same call goes on."
    if not so_far.is_over:
        return "Nothing is lost when it is stopped; the same call goes on."
    if so_far.kept:
        return "The lessons are used from now on; `forget_practice` discards them."
    if is_worse(so_far.tests):
        return "Fewer are right with the lessons, so they can't be kept; `forget_practice` discards them."
    return "The lessons are not used yet: `keep` uses them from now on, `forget_practice` discards them."


def _lesson(lesson: Entry, tests: Sequence[Tried]) -> LessonEffect:
    right = [test.right for test in tests if lesson.id in test.used]
    used = lesson.used + len(right)
    return {
        "entry": lesson.id,
        "lesson": lesson.shown,
        "used": used,
        "right": lesson.helped + sum(right),
        "paused": lesson.resting,
    }


def _practice_view(_call: Call, so_far: Practised) -> PracticeSoFar:
    lessons = sorted((_lesson(one, so_far.tests) for one in so_far.lessons), key=lambda one: -one["used"])
    against = disagreeing(so_far.cases)[:_MOST_SHOWN]
    flips = Counter(test.flip for test in so_far.tests)
    return {
        "done": len(so_far.cases) + len(so_far.tests),
        "of": so_far.count,
        "learnt_from": len(so_far.cases),
        "right": sum(one.right for one in so_far.cases),
        "curve": curve(so_far.cases),
        "disagreeing": [
            f"{one.exercise.question}: your answer {one.exercise.answer}, by the lessons {one.said}" for one in against
        ],
        "held_out": len(so_far.tests),
        "right_before": sum(test.before for test in so_far.tests),
        "right_after": sum(test.right for test in so_far.tests),
        "flips": {flip: flips[flip] for flip in FLIPS},
        "lessons": lessons,
        "error": str(so_far.error or ""),
        "sentence": _next(so_far),
    }


@operation(_practice_view)
def practice(
    call: Call,
    text: TableFile,
    header: Header = None,
    keep: Annotated[bool, Field(description="Use the lessons from now on, unless fewer are right with them.")] = False,
) -> Iterator[Practised]:
    """Have the model answer questions, tell it the right answers, and let it write lessons.

    The last fifth is held out, and shows what the lessons are worth. They are used once they are kept. What was done
    before is not done again, so that the same call goes on after a break.
    """
    exercises, name = exercises_of(call, text, header)
    practice = replace(call.services.practice.with_parts(call.parts), is_stopped=lambda: call.is_over)
    so_far = Practised(len(exercises.cases) + len(exercises.held_out))
    try:
        for case in practice.cases(name, exercises.cases, call.scope):
            if case.error:
                so_far = replace(so_far, error=case.error)
                break
            so_far = replace(so_far, cases=(*so_far.cases, case))
            yield so_far
        for test in practice.tests(name, () if so_far.error else exercises.held_out, call.scope):
            so_far = replace(so_far, tests=(*so_far.tests, test))
            yield so_far
        if not so_far.error and not so_far.is_over:
            so_far = replace(so_far, error=so_far.tests[-1].error)
    except NotedError as error:
        so_far = replace(so_far, error=error.sentence)
    if keep and so_far.is_over and not is_worse(so_far.tests):
        practice.keep(name, call.scope)
        so_far = replace(so_far, kept=True)
    yield replace(so_far, lessons=practice.lessons(name, call.scope))


def _erased_lessons(_call: Call, count: int) -> Done:
    return {"sentence": f"Erased {counted('lessons', count)}."}


@operation(_erased_lessons, effect=Effect.ERASES)
def forget_practice(call: Call, text: TableFile, header: Header = None) -> int:
    """Erase the lessons that were written in a practice on these questions, and its turns."""
    return call.services.practice.forget(exercises_of(call, text, header)[1], call.scope)


def exercises_of(call: Call, text: str, header: bool | None) -> tuple[Exercises, str]:
    """Return the exercises of a text, and the name of their practice: the first question."""
    exercises = read_exercises(checked(text, LONGEST_TEXT), call.assistant.limits, header)
    if not exercises.cases:
        raise InputError("practice.none")
    return exercises, exercises.cases[0].question


@dataclass(frozen=True, slots=True)
class Written:
    """Study questions that were written so far."""

    places: int
    questions: tuple[StudyQuestion, ...] = ()
    error: Sentence | None = None


def _questions_view(_call: Call, so_far: Written) -> MadeQuestions:
    questions = [made_question(one) for one in so_far.questions]
    return {"questions": questions, "places": so_far.places, "error": str(so_far.error or "")}


@operation(_questions_view)
def questions(
    call: Call,
    text: TextFile,
    answers: Annotated[
        tuple[str, ...], Field(max_length=500, description="That the questions are to have; else any of each sentence.")
    ] = (),
    samples: Annotated[
        int, Field(ge=1, le=MOST_DRAFTS, description="So many are written each time, and the best is kept.")
    ] = SAMPLES,
) -> Iterator[Written]:
    """Write study questions about a text. A language model takes two calls for each that is written."""
    study, passages = passages_of(call, text, answers)
    so_far = Written(len(passages))
    yield so_far
    try:
        for one in study.questions(passages, samples, call.scope):
            if one:
                so_far = replace(so_far, questions=(*so_far.questions, one))
                yield so_far
    except (ModelError, TooOften) as error:
        if not so_far.questions:
            raise
        yield replace(so_far, error=error.sentence)


def passages_of(call: Call, text: str, answers: Sequence[str]) -> tuple[Study, Sequence[Passage]]:
    """Return what writes study questions, and the passages of a text that it is to ask about."""
    study = call.services.study.with_parts(call.parts)
    passages = study.passages(checked(text, LONGEST_TEXT), answers)
    if not passages:
        raise InputError("study.none")
    return study, passages
