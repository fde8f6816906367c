"""The settings of ExpNote (section 4.2): what lessons are worth, which of them, and what else could be had instead.

`both` learns from all cases; `positive` and `negative` have those of its lessons that are from answers that were right,
or wrong, and `case` the cases themselves, as examples. `noisy` has cases of which some are answered wrongly.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from assistant.kinds import EXAMPLE, LESSON, Example, Lesson
from assistant.models.embedded.phrases import say
from assistant.papers.expnote.practice import flip
from assistant.settings import EMBEDDED
from assistant.types import Draft, Entry, Scope
from evaluation.expnote.pupil import Answer, Pupil
from evaluation.expnote.tasks.task import Item, MakeSplit, Split
from evaluation.expnote.taught import Taught, taught
from evaluation.store_filling import app_in
from evaluation.streams.pages import mean
from evaluation.streams.step_log import StepLog

_LEARNING = ("both", "noisy")
_PARTS = {"positive": True, "negative": False}  # of the lessons of `both`: whether they are from right answers
CURVES = (*_PARTS, *_LEARNING)
"""The settings that are tested again and again, after more cases."""
SETTINGS = ("disabled", "case", *_PARTS, "both", "retry", "noisy")
_POINTS = (0, 25, 50, 100, 150, 200)
_WRONG = 0.1
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run."""

    tasks: Mapping[str, MakeSplit]
    seeds: int = 3
    cases: int = 200
    tests: int = 100
    model: str = EMBEDDED

    @property
    def points(self) -> list[int]:
        """After how many cases is tested."""
        return [*dict.fromkeys((*(point for point in _POINTS if point < self.cases), self.cases))]

    @property
    def steps(self) -> int:
        """How many questions are asked, at most."""
        tested = len(SETTINGS) - len(CURVES) + len(CURVES) * (len(self.points) - 1)
        return len(self.tasks) * self.seeds * (len(_LEARNING) * self.cases + tested * self.tests)


@dataclass(slots=True)
class Measured:
    """Of one task, over all seeds."""

    right: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    lessons: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    flips: Counter[str] = field(default_factory=Counter)
    curve: dict[str, dict[int, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def share(self, setting: str, group: str = _ALL) -> float:
        """How many answers are right in a setting, the mean of the seeds."""
        return mean(self.right[setting][group])

    def after(self, setting: str) -> dict[int, float]:
        """How many answers are right after so many cases, the mean of the seeds."""
        return {cases: mean(self.curve[setting][cases]) for cases in sorted(self.curve[setting])}

    def area(self, setting: str) -> float:
        """Under the curve of a setting: how many answers are right over all of the time that it learns."""
        points = [*self.after(setting).items()]
        parts = [(till - at) * (one + other) / 2 for (at, one), (till, other) in pairwise(points)]
        return sum(parts) / (points[-1][0] - points[0][0])

    def cases_to(self, share: float, setting: str) -> int | None:
        """After how many cases so many answers are right, of those numbers at which it is tested; None: after none."""
        return next((cases for cases, right in self.after(setting).items() if right >= share), None)

    def efficiency(self, setting: str) -> float | None:
        """What a lesson of this sort adds, in hundredths (appendix C); None where there is none."""
        count = mean(self.lessons[setting])
        return 100 * (self.share(setting) - self.share("disabled")) / count if count else None

    def add(self, setting: str, tests: Sequence[Item], answers: Sequence[Answer]) -> None:
        """The answers of one seed."""
        groups: dict[str, list[bool]] = defaultdict(list)
        for test, answer in zip(tests, answers, strict=True):
            groups[_ALL].append(answer.right)
            if test.group != _ALL:
                groups[test.group].append(answer.right)
        for group, right in groups.items():
            self.right[setting][group].append(mean(right))


def run(folder: Path, plan: Plan, told: Callable[[int], None]) -> dict[str, Measured]:
    """Teach and test, or go on with it; `told` hears how many questions are answered."""
    with app_in(folder, plan.model) as services:
        model, log = taught(services, folder), StepLog(folder / "answers.jsonl", Answer, told)
        measured: dict[str, Measured] = {}
        for task, make in plan.tasks.items():
            measured[task] = Measured()
            for seed in range(plan.seeds):
                split = make(seed, plan.cases, plan.tests)
                _Seed(model, log, f"{task} {seed}", plan, split, measured[task]).run(seed)
        return measured


@dataclass(frozen=True, slots=True)
class _Seed:
    """One seed of one task."""

    taught: Taught
    log: StepLog[Answer]
    name: str
    plan: Plan
    split: Split
    measured: Measured

    def run(self, seed: int) -> None:
        tests, cases = self.split.tests, self.split.cases
        before = self._pupil("disabled").tested("test", tests)
        self.measured.add("disabled", tests, before)
        self.measured.add("retry", tests, self._pupil("retry").retried(tests))
        for setting in CURVES:
            self.measured.curve[setting][0].append(_share_right(before))
        practised, after = self._learn("both", cases, parts=_PARTS)
        self.measured.flips.update(
            flip(before=one.right, after=other.right) for one, other in zip(before, after, strict=True)
        )
        noted = [case for case, answer in zip(cases, practised, strict=False) if answer.lesson]
        self.measured.add("case", tests, self._with("case", map(_example, noted)).tested("test", tests))
        self.measured.lessons["case"].append(len(noted))
        self._learn("noisy", self.split.with_wrong(_WRONG, seed).cases)

    def _learn(
        self, setting: str, cases: Sequence[Item], parts: Iterable[str] = ()
    ) -> tuple[list[Answer], list[Answer]]:
        """Practise, and be tested now and then, also with parts of the lessons; the answers, and those at the end."""
        pupil, practised, tested = self._pupil(setting), list[Answer](), list[Answer]()
        for first, last in pairwise(self.plan.points):
            practised += pupil.practise(cases[first:last], first)
            tested = self._tested(setting, pupil, last)
            for part in parts:
                copies = _copies(pupil.lessons(), from_right=_PARTS[part])
                self._tested(part, self._with(f"{part} {last}", copies), last)
        return practised, tested

    def _tested(self, setting: str, pupil: Pupil, cases: int) -> list[Answer]:
        answers = pupil.tested(f"after {cases}", self.split.tests)
        self.measured.curve[setting][cases].append(_share_right(answers))
        if cases == self.plan.cases:
            self.measured.add(setting, self.split.tests, answers)
            self.measured.lessons[setting].append(len(pupil.lessons()))
        return answers

    def _pupil(self, setting: str) -> Pupil:
        return Pupil(self.taught, self.log, Scope(f"{self.name} {setting}"))

    def _with(self, setting: str, drafts: Iterable[Draft]) -> Pupil:
        pupil = self._pupil(setting)
        pupil.remember([*drafts])
        return pupil


def _share_right(answers: Sequence[Answer]) -> float:
    return mean([answer.right for answer in answers])


def _copies(lessons: Sequence[Entry], *, from_right: bool) -> list[Draft]:
    """Those from right answers, or from wrong ones, to be remembered by somebody else, the oldest first."""
    bodies = [entry.body for entry in reversed(lessons) if isinstance(entry.body, Lesson)]
    kept = [Lesson(key=body.key, rule=body.rule) for body in bodies if body.from_right is from_right]
    return [Draft(LESSON, body.key, body, LESSON.idempotency_key(body.key, body)) for body in kept]


def _example(case: Item) -> Draft:
    body = Example(understanding=say("asked_learnt", 0, question=case.question), answer=case.answer)
    return Draft(EXAMPLE, case.question, body, EXAMPLE.idempotency_key(case.question, body))
