"""Learn lessons from cases: the experiment of ExpNote (Sun et al., 2024, section 4), through the whole app.

`both` learns from all cases; `positive` and `negative` have the lessons from right and from wrong answers only, and
`case` has the cases themselves as examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Annotated

import typer

from assistant.kinds import EXAMPLE, LESSON, Example, Lesson
from assistant.models.embedded.lessons import LessonBook
from assistant.models.embedded.phrases import say
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.papers.expnote.lesson_writing import LessonCase, NoteByModel, NoteByRule, NoteTaker, find_lessons
from assistant.papers.expnote.practice import learn
from assistant.settings import EMBEDDED
from assistant.types import Entry, NewEntry, Scope, Turn
from evaluation.expnote.cases import TASKS, TaskItem, TaskSplit
from evaluation.harness.options import RUNS, Model, Out, parse_names
from evaluation.harness.report import Cell, Report, Table, mean, publish
from evaluation.harness.runner import ResultLog, Runner
from evaluation.harness.scorer import ScoreTally
from evaluation.harness.simulated_user import SimulatedUser
from memory_store.language.languages import LANGUAGES
from ui.server.services import Services

SETTINGS = ("disabled", "case", "positive", "negative", "both")
_PARTS = {"positive": True, "negative": False}  # lessons of `both` from right answers, or from wrong ones
_CURVES = (*_PARTS, "both")
_POINTS = (0, 25, 50, 100, 150, 200)


def expnote(
    *,
    out: Out = RUNS / "expnote",
    task: Annotated[str, typer.Option(help="Tasks with commas between.")] = ",".join(TASKS),
    model: Model = EMBEDDED,
    seeds: Annotated[int, typer.Option(min=1, help="Of each task.")] = 3,
    cases: Annotated[int, typer.Option(min=1, help="To learn from.")] = 200,
    tests: Annotated[int, typer.Option(min=1, help="Held-out questions.")] = 100,
) -> None:
    """Let a model write lessons from cases, and test it in every setting of ExpNote."""
    names = parse_names(task, TASKS, "task")
    points = [*(point for point in _POINTS if point < cases), cases]
    runner, tables = Runner(out, model), list[Table]()
    asked = cases + (len(SETTINGS) - len(_CURVES) + len(_CURVES) * (len(points) - 1)) * tests
    with runner.app() as services, runner.asking(services, len(names) * seeds * asked) as tell:
        log = runner.log(PupilAnswer, tell)
        for name in names:
            results = ExpNoteResults(name)
            for seed in range(seeds):
                split = TASKS[name](seed, cases, tests)
                _SeedRun(Teacher(services, log), f"{name} {seed}", split, points, results).run()
            tables += results.tables()
    settings = {"seeds": seeds, "cases": cases, "tests": tests}
    publish(Report(name="expnote", tables=tuple(tables), model=model, settings=settings), out)


@dataclass(frozen=True, slots=True)
class PupilAnswer:
    """An answer, with the lesson learnt from it, if any."""

    said: str
    right: bool
    used: int = 0  # number of entries used
    lesson: str = ""


class ExpNoteResults:
    """Results of a task over all seeds."""

    def __init__(self, task: str) -> None:
        self.task, self.right = task, ScoreTally()
        self.lessons: dict[str, list[int]] = defaultdict(list)
        self.curve: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))

    def tables(self) -> list[Table]:
        """Return the shares of right tests by setting, and by number of cases."""
        learnt: dict[str, dict[str, Cell]] = {}
        for setting in ("case", *_CURVES):
            learnt[setting] = {"lessons": mean(self.lessons[setting])}
            learnt[setting] |= {f"{cases:g}": mean(right) for cases, right in sorted(self.curve[setting].items())}
        return [
            self.right.table(f"{self.task}: share of tests right"),
            Table.of(f"{self.task}: lessons, and share of tests right after so many cases", learnt),
        ]


class Teacher:
    """The way the app's model writes lessons, and a check of its answers."""

    def __init__(self, services: Services, log: ResultLog[PupilAnswer]) -> None:
        self.assistant, self.log = services.assistant, log
        runner = self.assistant.runner
        self.is_embedded = runner.model.name == EMBEDDED
        self.note_taker: NoteTaker = NoteByModel(runner.model, runner.prompt_builder, LANGUAGES)
        if self.is_embedded:
            self.note_taker = NoteByRule(LessonBook(LANGUAGES))

    def is_right(self, turn: Turn, item: TaskItem) -> bool:
        """Return True if a turn has the right answer; without one, if it says that it is not known.

        A language model answers in sentences; for it, using no lesson counts as not known.
        """
        if item.answer:
            return self.note_taker.is_right(item.answer, turn.reply.answer)
        if not self.is_embedded:
            return not turn.used
        unknown = tuple(say(name, 0, word="\0").partition("\0")[0] for name in ("unknown", "nothing"))
        return turn.reply.understanding == NOT_UNDERSTOOD or turn.reply.answer.startswith(unknown)


@dataclass(frozen=True, slots=True)
class Pupil:
    """A user who is taught by cases, and tested."""

    teaching: Teacher
    subject: SimulatedUser

    def practise(self, cases: Sequence[TaskItem], first: int) -> list[PupilAnswer]:
        """Answer each case, receive the right answer, and write a lesson."""
        return [
            self._step(f"case {at}", partial(self._practise_case, case)) for at, case in enumerate(cases, start=first)
        ]

    def take_tests(self, phase: str, tests: Sequence[TaskItem]) -> list[PupilAnswer]:
        """Answer tests, without learning."""
        return [self._step(f"{phase} {at}", partial(self._answer, test)) for at, test in enumerate(tests)]

    def _step(self, name: str, do: partial[PupilAnswer]) -> PupilAnswer:
        step = f"{self.subject.scope.person}/{name}"
        return self.teaching.log.of(step, partial(do, step))

    def _answer(self, test: TaskItem, step: str) -> PupilAnswer:
        turn = self.subject.ask(test.question, step)
        return PupilAnswer(turn.reply.answer, self.teaching.is_right(turn, test), len(turn.used))

    def _practise_case(self, case: TaskItem, step: str) -> PupilAnswer:
        turn = self.subject.ask(case.question, step)
        answer = PupilAnswer(turn.reply.answer, self.teaching.is_right(turn, case), len(turn.used))
        told = LessonCase(case.question, case.answer, case.answer if answer.right else turn.reply.answer)
        memory = self.subject.assistant.memory
        drawn = learn(turn, told, self.teaching.note_taker, memory, self.subject.scope)
        return replace(answer, lesson=drawn.lesson.rule if drawn else "")


@dataclass(frozen=True, slots=True)
class _SeedRun:
    """One seed of a task, in all settings."""

    teaching: Teacher
    name: str
    split: TaskSplit
    points: Sequence[int]  # numbers of cases after which to test
    results: ExpNoteResults

    def run(self) -> None:
        before = self._pupil("disabled").take_tests("test", self.split.tests)
        self._add("disabled", before)
        for setting in _CURVES:
            self.results.curve[setting][0].append(mean(one.right for one in before))
        noted = [case for case, answer in zip(self.split.cases, self._learn(), strict=False) if answer.lesson]
        self._add("case", self._pupil("case", map(_build_example, noted)).take_tests("test", self.split.tests))
        self.results.lessons["case"].append(len(noted))

    def _learn(self) -> list[PupilAnswer]:
        """Practise all cases with tests in between, also of parts of the lessons; return all answers."""
        pupil, practised = self._pupil("both"), list[PupilAnswer]()
        for first, last in pairwise(self.points):
            practised += pupil.practise(self.split.cases[first:last], first)
            self._test("both", pupil, last)
            for part, from_right in _PARTS.items():
                copies = _copy_lessons(_read_lessons(pupil), from_right=from_right)
                self._test(part, self._pupil(f"{part} {last}", copies), last)
        return practised

    def _test(self, setting: str, pupil: Pupil, cases: int) -> None:
        answers = pupil.take_tests(f"after {cases}", self.split.tests)
        self.results.curve[setting][cases].append(mean(one.right for one in answers))
        if cases == self.points[-1]:
            self._add(setting, answers)
            self.results.lessons[setting].append(len(_read_lessons(pupil)))

    def _add(self, setting: str, answers: Sequence[PupilAnswer]) -> None:
        groups = [test.group for test in self.split.tests]
        self.results.right.add(setting, [one.right for one in answers], groups)

    def _pupil(self, setting: str, drafts: Iterable[NewEntry] = ()) -> Pupil:
        subject = SimulatedUser(self.teaching.assistant, Scope(f"{self.name} {setting}"))
        for draft in drafts:
            subject.assistant.memory.remember(draft, subject.scope)
        return Pupil(self.teaching, subject)


def _read_lessons(pupil: Pupil) -> list[Entry]:
    return find_lessons(pupil.subject.assistant.memory, pupil.subject.scope)


def _copy_lessons(lessons: Sequence[Entry], *, from_right: bool) -> list[NewEntry]:
    """Return drafts of the lessons from right, or from wrong, answers for another user, oldest first."""
    bodies = [entry.body for entry in reversed(lessons) if isinstance(entry.body, Lesson)]
    kept = [Lesson(key=body.key, rule=body.rule) for body in bodies if body.from_right is from_right]
    return [NewEntry(LESSON, body.key, body, LESSON.idempotency_key(body.key, body)) for body in kept]


def _build_example(case: TaskItem) -> NewEntry:
    body = Example(understanding=say("asked_learnt", 0, question=case.question), answer=case.answer)
    return NewEntry(EXAMPLE, case.question, body, EXAMPLE.idempotency_key(case.question, body))
