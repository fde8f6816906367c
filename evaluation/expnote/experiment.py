"""Learn lessons from cases: the experiment of ExpNote (Sun et al., 2024, section 4), through the whole app.

`both` learns from all cases; `positive` and `negative` have the lessons from right and from wrong answers only, and
`case` has the cases themselves as examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Annotated

import typer

from assistant.kinds import EXAMPLE, LESSON, Example, Lesson
from assistant.models.embedded.lessons import LessonBook, is_same
from assistant.models.embedded.phrases import say
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.papers.expnote.lessons import (
    LessonCase,
    NoteByModel,
    NoteTaker,
    find_lessons,
    is_right,
    learn,
    note_by_rule,
)
from assistant.settings import EMBEDDED
from assistant.types import NewEntry, Scope, Turn
from evaluation.expnote.cases import TASKS, TaskItem, TaskSplit
from evaluation.harness.options import RUNS, Model, Out, parse_names
from evaluation.harness.report import Report, Table, mean, publish
from evaluation.harness.runner import ResultLog, Runner
from evaluation.harness.scorer import ScoreTally
from evaluation.harness.simulated_user import SimulatedUser
from memory_store.language.languages import LANGUAGES
from ui.server.services import Services

DISABLED, CASE, BOTH = "disabled", "case", "both"
_PARTS = {"positive": True, "negative": False}  # lessons of `both` from right answers, or from wrong ones
_POINTS = (0, 25, 50, 100, 150, 200)


def expnote(
    context: typer.Context,
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
    runner, tables = Runner(out, context.params, model), list[Table]()
    asked = cases + (len((DISABLED, CASE, *_PARTS)) + len(points) - 1) * tests
    with runner.app() as services, runner.asking(services, len(names) * seeds * asked) as tell:
        log = runner.log(PupilAnswer, tell)
        for name in names:
            splits = {f"{name} {seed}": TASKS[name](seed, cases, tests) for seed in range(seeds)}
            found = [(split, [*SeedRun(services, log, each, split).run(points)]) for each, split in splits.items()]
            tables += build_tables(name, found)
    settings = {"seeds": seeds, "cases": cases, "tests": tests}
    publish(Report(name="expnote", tables=tuple(tables), model=model, settings=settings), out)


@dataclass(frozen=True, slots=True)
class PupilAnswer:
    """An answer, with the lesson learnt from it, if any."""

    said: str
    right: bool
    used: int = 0  # number of entries used
    lesson: str = ""


@dataclass(frozen=True, slots=True)
class SettingResult:
    """The tests of a setting, True for each right one, after a number of cases and with a number of lessons."""

    setting: str
    cases: int
    lessons: int
    right: Sequence[bool]


def build_tables(task: str, found: Iterable[tuple[TaskSplit, Sequence[SettingResult]]]) -> list[Table]:
    """Return the shares of right tests by setting, and by number of cases, from the results of all seeds."""
    right, after, lessons = ScoreTally(), ScoreTally(), defaultdict[str, list[int]](list)
    for split, results in found:
        for one in results:
            if one.setting in {DISABLED, BOTH}:
                after.add(BOTH, one.right, [str(one.cases)] * len(one.right))
        for setting, one in {one.setting: one for one in results}.items():  # the last of each
            right.add(setting, one.right, [test.group for test in split.tests])
            lessons[setting].append(one.lessons)
    kept = Table.of(f"{task}: lessons", {setting: {"lessons": mean(some)} for setting, some in lessons.items()})
    return [right.table(f"{task}: share of tests right"), after.table(f"{task}: the same after so many cases"), kept]


class SeedRun:
    """One seed of a task: users who learn in different ways, and the tests that all of them take."""

    def __init__(self, services: Services, log: ResultLog[PupilAnswer], name: str, split: TaskSplit) -> None:
        self.assistant, self.log, self.name, self.split = services.assistant, log, name, split
        runner = self.assistant.runner
        self.is_embedded = runner.model.name == EMBEDDED
        self.note_taker: NoteTaker = NoteByModel(runner.model, runner.prompt_builder, LANGUAGES)
        if self.is_embedded:
            self.note_taker = partial(note_by_rule, LessonBook(LANGUAGES))

    def run(self, points: Sequence[int]) -> Iterator[SettingResult]:
        """Yield the results of every setting, those of `both` at each number of cases."""
        yield SettingResult(DISABLED, 0, 0, self._test(self._user(DISABLED), "test"))
        pupil, noted = self._user(BOTH), list[TaskItem]()
        for first, last in pairwise(points):
            for at, case in enumerate(self.split.cases[first:last], start=first):
                if self._answer(pupil, f"case {at}", partial(self._practise, pupil, case)).lesson:
                    noted.append(case)
            count = len(find_lessons(pupil.assistant.memory, pupil.scope))
            yield SettingResult(BOTH, last, count, self._test(pupil, f"after {last}"))
        lessons = find_lessons(pupil.assistant.memory, pupil.scope)
        bodies = [entry.body for entry in reversed(lessons) if isinstance(entry.body, Lesson)]
        for setting, from_right in _PARTS.items():
            drafts = [_copy_lesson(body) for body in bodies if body.from_right is from_right]
            yield SettingResult(setting, points[-1], len(drafts), self._test(self._user(setting, drafts), "test"))
        examples = self._user(CASE, map(_build_example, noted))
        yield SettingResult(CASE, points[-1], len(noted), self._test(examples, "test"))

    def _user(self, setting: str, drafts: Iterable[NewEntry] = ()) -> SimulatedUser:
        subject = SimulatedUser(self.assistant, Scope(f"{self.name} {setting}"))
        for draft in drafts:
            subject.assistant.memory.remember(draft, subject.scope)
        return subject

    def _test(self, subject: SimulatedUser, phase: str) -> list[bool]:
        """Return which tests are right; nothing is learnt from them."""
        tests = enumerate(self.split.tests)
        return [self._answer(subject, f"{phase} {at}", partial(self._ask, subject, test)).right for at, test in tests]

    def _answer(self, subject: SimulatedUser, name: str, do: partial[tuple[Turn, PupilAnswer]]) -> PupilAnswer:
        step = f"{subject.scope.person}/{name}"
        return self.log.of(step, lambda: do(step)[1])

    def _ask(self, subject: SimulatedUser, item: TaskItem, step: str) -> tuple[Turn, PupilAnswer]:
        turn = subject.ask(item.question, step)
        return turn, PupilAnswer(turn.reply.answer, self._is_right(turn, item), len(turn.used))

    def _practise(self, subject: SimulatedUser, case: TaskItem, step: str) -> tuple[Turn, PupilAnswer]:
        """Answer a case, receive the right answer, and write a lesson."""
        turn, answer = self._ask(subject, case, step)
        told = LessonCase(case.question, case.answer, case.answer if answer.right else turn.reply.answer)
        lesson = learn(turn, told, self.note_taker, subject.assistant.memory, subject.scope)
        return turn, replace(answer, lesson=lesson.rule if lesson else "")

    def _is_right(self, turn: Turn, item: TaskItem) -> bool:
        """Return True if a turn has the right answer; without one, if it says that it is not known.

        A language model answers in sentences; for it, an answer without a lesson counts as unknown.
        """
        if item.answer:
            return (is_same if self.is_embedded else is_right)(item.answer, turn.reply.answer)
        if not self.is_embedded:
            return not turn.used
        unknown = tuple(say(name, 0, word="\0").partition("\0")[0] for name in ("unknown", "nothing"))
        return turn.reply.understanding == NOT_UNDERSTOOD or turn.reply.answer.startswith(unknown)


def _copy_lesson(body: Lesson) -> NewEntry:
    kept = Lesson(key=body.key, rule=body.rule)
    return NewEntry(LESSON, kept.key, kept, LESSON.idempotency_key(kept.key, kept))


def _build_example(case: TaskItem) -> NewEntry:
    body = Example(understanding=f"You ask: {case.question}", answer=case.answer)
    return NewEntry(EXAMPLE, case.question, body, EXAMPLE.idempotency_key(case.question, body))
