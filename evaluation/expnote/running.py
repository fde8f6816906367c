"""The settings of ExpNote (section 4.2): what lessons are worth, which of them, and what else could be had instead.

Lessons are drawn once, from all cases; `positive` and `negative` keep only those from answers that were right, or
wrong, and `case` the cases themselves, as examples. `noisy` learns from cases of which some are answered wrongly;
`noisy, negative` only from what it answers otherwise than these: no right answer speaks for a lesson.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from app import compose
from assistant.expnote.results import flip
from assistant.kinds import EXAMPLE, LESSON, Example, Lesson
from assistant.models.embedded.phrases import say
from assistant.settings import EMBEDDED
from assistant.types import Draft, Entry, Scope
from evaluation.expnote.pupil import Answer, Pupil
from evaluation.expnote.tasks.letters import letters, words
from evaluation.expnote.tasks.task import Item, MakeSplit, Split
from evaluation.expnote.taught import Taught, taught
from evaluation.store_filling import settings_in
from evaluation.streams.step_log import StepLog

SETTINGS = ("disabled", "case", "positive", "negative", "both", "retry", "noisy", "noisy, negative")
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
        tested = len(SETTINGS) - 1 + len(self.points)
        return len(self.tasks) * self.seeds * (3 * self.cases + tested * self.tests)


@dataclass(slots=True)
class Measured:
    """Of one task, over all seeds."""

    right: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    lessons: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    flips: Counter[str] = field(default_factory=Counter)
    curve: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))

    def share(self, setting: str, group: str = _ALL) -> float:
        """How many answers are right in a setting, the mean of the seeds."""
        return mean(self.right[setting][group])

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


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of none."""
    return sum(values) / len(values) if values else 0.0


def run(folder: Path, plan: Plan, told: Callable[[int], None]) -> dict[str, Measured]:
    """Teach and test, or go on with it; `told` hears how many questions are answered."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(compose(settings_in(folder, plan.model))) as services:
        model, log = taught(services, folder), StepLog(folder / "answers.jsonl", Answer, told)
        measured: dict[str, Measured] = {}
        for task, make in plan.tasks.items():
            measured[task] = Measured()
            for seed in range(plan.seeds):
                split = make(seed, plan.cases, plan.tests)
                _Seed(model, log, f"{task} {seed}", plan, split).run(seed, measured[task])
        return measured


def found(folder: Path, seeds: int, tests: int) -> float:
    """On LETS with one lesson for each word, the share of the tests for which all three are shown to a model."""
    folder.mkdir(parents=True, exist_ok=True)
    shares = []
    with closing(compose(settings_in(folder))) as services:
        model = taught(services, folder)
        model = replace(model, assistant=model.assistant.with_parts(**services.connected))
        for seed in range(seeds):
            pupil = Pupil(model, StepLog(folder / "found.jsonl", Answer, nobody), Scope(f"found {seed}"))
            pupil.remember([_spelled(word) for word in words(seed)])
            services.upkeep.rebuild_index()
            shares.append(pupil.shown(letters(seed, 0, tests).tests, lambda test: _quoted(test.question)))
    return mean(shares)


@dataclass(frozen=True, slots=True)
class _Seed:
    """One seed of one task."""

    taught: Taught
    log: StepLog[Answer]
    name: str
    plan: Plan
    split: Split

    def run(self, seed: int, measured: Measured) -> None:
        tests, cases = self.split.tests, self.split.cases
        before = self._pupil("disabled").tested("test", tests)
        both, practised, after = self._pupil("both"), list[Answer](), before
        for first, last in pairwise((0, *self.plan.points)):
            practised += both.practise(cases[first:last], first)
            after = both.tested(f"after {last}", tests)
            measured.curve[last].append(mean([answer.right for answer in after]))
        lessons = both.lessons()
        noted = [case for case, answer in zip(cases, practised, strict=False) if answer.lesson]
        noisy = self._pupil("noisy")
        wrongly = self.split.with_wrong(_WRONG, seed).cases
        noisy.practise(wrongly)
        from_wrong = self._pupil("noisy, negative")
        from_wrong.practise(wrongly, teaches=lambda answer: not answer.right)
        answers = {
            "disabled": before,
            "case": self._with("case", map(_example, noted)).tested("test", tests),
            "positive": self._with("positive", _copies(lessons, from_right=True)).tested("test", tests),
            "negative": self._with("negative", _copies(lessons, from_right=False)).tested("test", tests),
            "both": after,
            "retry": self._pupil("retry").retried(tests),
            "noisy": noisy.tested("test", tests),
            "noisy, negative": from_wrong.tested("test", tests),
        }
        for setting, given in answers.items():
            measured.add(setting, tests, given)
        for sort in ("positive", "negative"):
            measured.lessons[sort].append(len(_copies(lessons, from_right=sort == "positive")))
        measured.lessons["both"].append(len(lessons))
        measured.lessons["case"].append(len(noted))
        measured.lessons["noisy"].append(len(noisy.lessons()))
        measured.flips.update(
            flip(before=one.right, after=other.right) for one, other in zip(before, after, strict=True)
        )

    def _pupil(self, setting: str) -> Pupil:
        return Pupil(self.taught, self.log, Scope(f"{self.name} {setting}"))

    def _with(self, setting: str, drafts: Iterable[Draft]) -> Pupil:
        pupil = self._pupil(setting)
        pupil.remember([*drafts])
        return pupil


def _copies(lessons: Sequence[Entry], *, from_right: bool) -> list[Draft]:
    """Those from right answers, or from wrong ones, to be remembered by somebody else, the oldest first."""
    bodies = [entry.body for entry in reversed(lessons) if isinstance(entry.body, Lesson)]
    return [lesson_draft(body.key, body.rule) for body in bodies if body.from_right is from_right]


def lesson_draft(key: str, rule: str) -> Draft:
    """A lesson of no turn."""
    body = Lesson(key=key, rule=rule)
    return Draft(LESSON, key, body, LESSON.idempotency_key(key, body))


def _spelled(word: str) -> Draft:
    return lesson_draft(word, f"The letters of {word} are {', '.join(word)}.")


def _quoted(question: str) -> list[str]:
    return question.split('"')[1::2]


def _example(case: Item) -> Draft:
    body = Example(understanding=say("asked_learnt", 0, question=case.question), answer=case.answer)
    return Draft(EXAMPLE, case.question, body, EXAMPLE.idempotency_key(case.question, body))


def nobody(_: int) -> None:
    """Nobody waits for it."""
