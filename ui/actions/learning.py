"""Operations that learn from a text of the user: practice, and study questions."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from assistant.errors import InputError, ModelError, NotedError, TooOften
from assistant.papers.expnote.practice import (
    Exercises,
    Practice,
    Practised,
    find_disagreeing,
    is_worse,
    read_exercises,
)
from assistant.papers.selection.study import SAMPLES, Passage, Study
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import check_text
from ui.actions.arguments import LONGEST_TEXT, Header, TableFile, TextFile
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, operation
from ui.actions.results import Rounded, View, read
from ui.words.texts import format_count

_MOST_SHOWN = 20  # disagreeing cases

Keep = Annotated[bool, Field(description="Use the lessons from now on, unless fewer are right with them.")]
Answers = Annotated[tuple[str, ...], Field(max_length=500, description="Answers to ask for, one a line."), Role.FILE]
Samples = Annotated[int, Field(ge=1, le=MOST_DRAFTS, description="How many are written each time; the best is kept.")]


class WrittenQuestion(View):
    """A study question."""

    question: str
    answer: str
    scores: dict[str, Rounded] = Field(description="What each scorer says of it, from 0 to 1.")


class MadeQuestion(View):
    """The best study question for a passage, and the others."""

    sentence: str = read("passage.sentence", "The sentence of the text that it is about.")
    question: str = read("kept.question", "The best; empty where nothing could be asked.", default="")
    answer: str = read("kept.answer", default="")
    scores: dict[str, Rounded] = read("kept.scores", "What each scorer says of it, from 0 to 1.", default={})
    others: list[WrittenQuestion] = Field(default=[])


class MadeQuestions(View):
    """Study questions of a text so far."""

    questions: list[MadeQuestion] = Field(default=[])
    places: int = Field(description="In the text, that are asked about.")
    error: str = Field(default="", description="Why no more came; mostly empty.")


class PracticeSoFar(View):
    """Progress of a practice."""

    done: int
    of: int = Field(description="Questions, those that are held out among them.")
    learnt_from: int
    right: int = Field(description="Of those it learnt from.")
    disagreeing: list[str] = Field(description="Cases that lessons answer otherwise, in words.")
    held_out: int = Field(description="Questions that show what the lessons are worth.")
    right_before: int = Field(description="Of these, right without the lessons.")
    right_after: int = Field(description="Of these, right with them.")
    lessons: list[dict[str, Any]] = Field(default=[], description="What was learnt.")
    error: str = Field(default="", description="Why it ended early; the same call goes on. Mostly empty.")
    sentence: str = Field(default="", description="What can be done next.")


@operation()
def practice(call: Call, text: TableFile, header: Header = None, keep: Keep = False) -> Iterator[PracticeSoFar]:
    """Have the model answer questions, tell it the right answers, and let it write lessons.

    The last fifth is held out, and shows what the lessons are worth. They are used once they are kept. What was done
    before is not done again, so that the same call goes on after a break.
    """
    exercises, name = exercises_of(call, text, header)
    practice, so_far, error = practice_of(call), Practised(), ""
    count = len(exercises.cases) + len(exercises.held_out)
    try:
        for so_far in practice.run(name, exercises, call.scope):
            yield _practised(so_far, count)
    except NotedError as failure:
        error = str(failure)
    sentence = "The lessons are not used yet: `keep` uses them from now on"
    if error:
        sentence = f"{error} Nothing is lost; the same call goes on"
    elif is_worse(so_far.tests):
        sentence = "Fewer are right with the lessons, so they can't be kept"
    elif keep:
        practice.keep(name, call.scope)
        sentence = "The lessons are used from now on"
    sentence += "." if error else "; `forget_practice` discards them."
    lessons = practice.lessons(name, call.scope)
    shown = [{"entry": one.id, "lesson": one.shown, "paused": one.resting} for one in lessons]
    yield _practised(so_far, count).but(lessons=shown, error=error, sentence=sentence)


def _practised(so_far: Practised, count: int) -> PracticeSoFar:
    cases, tests = so_far.cases, so_far.tests
    against = [f"{one.exercise.question}: {one.exercise.answer}, not {one.said}" for one in find_disagreeing(cases)]
    return PracticeSoFar(
        done=len(cases) + len(tests),
        of=count,
        learnt_from=len(cases),
        right=sum(one.right for one in cases),
        disagreeing=against[:_MOST_SHOWN],
        held_out=len(tests),
        right_before=sum(test.before for test in tests),
        right_after=sum(test.right for test in tests),
    )


def practice_of(call: Call) -> Practice:
    """Return the practice with the user's model, which stops with the call."""
    return replace(call.services.practice.with_parts(call.parts), is_stopped=lambda: call.is_over)


def _erased_lessons(count: int) -> str:
    return f"Erased {format_count('lessons', count)}."


@operation(_erased_lessons, effect=Effect.ERASES, name_of_result="sentence")
def forget_practice(call: Call, text: TableFile, header: Header = None) -> int:
    """Erase the lessons that were written in a practice on these questions, and its turns."""
    return call.services.practice.forget(exercises_of(call, text, header)[1], call.scope)


def exercises_of(call: Call, text: str, header: bool | None) -> tuple[Exercises, str]:
    """Return the exercises of a text and the name of their practice, the first question."""
    exercises = read_exercises(check_text(text, LONGEST_TEXT), call.assistant.limits, header)
    if not exercises.cases:
        raise InputError("practice.none")
    return exercises, exercises.cases[0].question


@operation()
def questions(call: Call, text: TextFile, answers: Answers = (), samples: Samples = SAMPLES) -> Iterator[MadeQuestions]:
    """Write study questions about a text. A language model takes two calls for each that is written."""
    study, passages = passages_of(call, text, answers)
    so_far = MadeQuestions(places=len(passages))
    try:
        for so_far in write_questions(call, study, passages, samples):
            yield so_far
    except (ModelError, TooOften) as error:
        if not so_far.questions:
            raise
        yield so_far.but(error=str(error))


def write_questions(call: Call, study: Study, passages: Sequence[Passage], samples: int) -> Iterator[MadeQuestions]:
    """Yield the study questions so far, first none. Raises ModelError and TooOften."""
    so_far = MadeQuestions(places=len(passages))
    yield so_far
    with closing(study.questions(passages, samples, call.scope)) as coming:
        for one in coming:
            if call.is_over:
                return
            if one:
                others = [other for other in one.all if other is not one.kept]
                made = MadeQuestion.model_validate(one).but(others=others)
                so_far = so_far.but(questions=[*so_far.questions, made])
                yield so_far


def passages_of(call: Call, text: str, answers: Sequence[str]) -> tuple[Study, Sequence[Passage]]:
    """Return the study with the user's model, and the passages of a text to ask about."""
    study = call.services.study.with_parts(call.parts)
    passages = study.passages(check_text(text, LONGEST_TEXT), answers)
    if not passages:
        raise InputError("study.none")
    return study, passages
