"""A simulated teacher as in section 4.2 of TeachMe, on EntailmentBank, with a language model as student.

Half of the questions are taught and half are hidden. Of questions that share a core fact the first is taught, so that
some of the hidden ones rest on what was taught (the paper divides QuaRTz anew for that). The teacher does nothing where
an answer is right, and tells the core facts where it is wrong. Hidden questions are asked with an empty memory, after
so much of the teaching, and with all core facts of the taught ones: "upper bound".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from assistant.conversation import Assistant
from assistant.errors import BadReply, ContentRefused, ContextFull, EmptyReply, ModelError, StreamCut
from assistant.papers.expnote.practice import FLIPS, flip
from assistant.papers.teachme.teaching import Teaching
from assistant.types import Scope, TurnState
from evaluation.facts.bank import Bank, words_of
from evaluation.replies import KeptReplies
from evaluation.store_filling import app_in, fact_draft
from evaluation.streams.pages import mean
from evaluation.streams.step_log import StepLog
from evaluation.teachme.choices import Choice, choices
from evaluation.teachme.told import asked

POINTS = (0.25, 0.5, 0.75, 1.0)
DIRECT, BEFORE, AFTER, CONTEXT, UPPER, TAUGHT = (
    "direct, without reasons",
    "before teaching",
    "after teaching",
    "after, facts as context only",
    "upper bound",
    "taught ones, asked again",
)
# What a model makes of one question alone: its answer is wrong. Any other failure ends the run, which goes on later.
_OF_ONE = frozenset(error.code for error in (BadReply, ContentRefused, ContextFull, EmptyReply, StreamCut))
ALL, RESTING = "all", "rest on what was taught"


@dataclass(frozen=True, slots=True)
class Given:
    """What was answered; one line of the log."""

    answer: str
    right: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run."""

    bank: Bank
    model: str
    seed: int = 0  # of options, and of which questions are hidden
    orders: int = 1  # in which the questions are taught; the paper has 3
    most: int = 0  # questions, for a short run; 0 for all

    @property
    def asked(self) -> int:
        """How many questions are asked."""
        taught, hidden = split(self)
        return 3 * len(hidden) + self.orders * (2 * len(taught) + (len(POINTS) + 1) * len(hidden))


@dataclass(slots=True)
class Measured:
    """Over all orders."""

    right: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    curve: dict[float, list[float]] = field(default_factory=lambda: defaultdict(list))  # by the share that was taught
    memory: dict[float, list[int]] = field(default_factory=lambda: defaultdict(list))  # how many facts there were
    needed: list[float] = field(default_factory=list)  # the share of the taught questions that needed feedback
    flips: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(FLIPS, 0)))

    def add(self, way: str, hidden: Sequence[Choice], given: Sequence[Given], told: set[str]) -> None:
        """The answers to the hidden questions, of all and of those that rest on what could be told."""
        resting = [one.right for each, one in zip(hidden, given, strict=True) if not told.isdisjoint(_facts(each))]
        self.right[way][ALL].append(mean([one.right for one in given]))
        if resting:
            self.right[way][RESTING].append(mean(resting))


def split(plan: Plan) -> tuple[list[Choice], list[Choice]]:
    """The questions that are taught, and those that are hidden."""
    asked_ = choices(plan.bank.questions, plan.seed)
    Random(plan.seed).shuffle(asked_)  # noqa: S311
    asked_ = asked_[: plan.most or len(asked_)]
    told, taught, hidden = set[str](), list[Choice](), list[Choice]()
    shared = Counter(fact for one in asked_ for fact in set(_facts(one)))
    for one in sorted(asked_, key=lambda each: max(shared[fact] for fact in _facts(each)) < 2):
        some = hidden if not told.isdisjoint(_facts(one)) or len(taught) > len(hidden) else taught
        some.append(one)
        told.update(_facts(one) if some is taught else ())
    return taught, hidden


def run(folder: Path, plan: Plan, told: Callable[[int], object]) -> Measured:
    """Teach and test, or go on with it; `told` hears how many questions are answered. Raises ModelError."""
    taught, hidden = split(plan)
    facts, measured = {fact for one in taught for fact in _facts(one)}, Measured()
    with app_in(folder, plan.model) as services:
        model = KeptReplies(services.assistant.runner.model, folder / "replies.sqlite3")
        log = StepLog(folder / "simulated.jsonl", Given, told)
        student = Student(services.assistant.with_parts(model=model), log)
        nothing = Scope(f"{plan.seed} nothing")
        measured.add(DIRECT, hidden, student.answers(hidden, nothing, DIRECT), facts)
        before = student.answers(hidden, nothing, BEFORE)
        measured.add(BEFORE, hidden, before, facts)
        for order in range(plan.orders):
            lessons = Random(f"{plan.seed} {order}").sample(taught, len(taught))  # noqa: S311
            _Order(student, Scope(f"{plan.seed} order {order}"), lessons, hidden).run(measured, before, facts)
        everything = Scope(f"{plan.seed} everything")
        for one in taught:
            student.tell(one, everything)
        measured.add(UPPER, hidden, student.answers(hidden, everything, UPPER), facts)
    return measured


@dataclass(frozen=True, slots=True)
class Student:
    """The app on a model, asked and told."""

    assistant: Assistant
    log: StepLog[Given]

    def answers(self, some: Sequence[Choice], scope: Scope, way: str) -> list[Given]:
        """What it answers to each, in this way."""
        return [self.answer(one, scope, way) for one in some]

    def answer(self, one: Choice, scope: Scope, way: str) -> Given:
        """What it answers, in a conversation of its own. Raises ModelError: the model failed, and nothing is noted."""
        step = f"{scope.person}/{way}/{one.text}"

        def ask() -> Given:
            turn = asked(self._in_this(way), one.text, scope, step)
            if turn.state is TurnState.FAILED and turn.error is not None and turn.error.code not in _OF_ONE:
                raise ModelError(turn.error.code, **turn.error.parameters)
            return Given(turn.reply.answer, one.is_right(turn.reply.answer))

        return self.log.of(step, ask)

    def tell(self, one: Choice, scope: Scope) -> None:
        """Its core facts, at the question, each once."""
        for fact in one.core:
            self.assistant.memory.remember(fact_draft(fact, told_at=one.text), scope)

    def _in_this(self, way: str) -> Assistant:
        if way == DIRECT:
            return self.assistant
        thinking = Teaching(self.assistant).thinking()
        if way.startswith(CONTEXT):
            thinking = replace(thinking, forced=False)
        return self.assistant.with_parts(generator=thinking)


@dataclass(frozen=True, slots=True)
class _Order:
    """One order in which questions are taught."""

    student: Student
    scope: Scope
    taught: Sequence[Choice]
    hidden: Sequence[Choice]

    def run(self, measured: Measured, before: Sequence[Given], facts: set[str]) -> None:
        wrong, told, first, after = 0, set[str](), 0, before
        measured.curve[0.0].append(mean([one.right for one in before]))
        measured.memory[0.0].append(0)
        for point in POINTS:
            last = round(point * len(self.taught))
            for one in self.taught[first:last]:
                if not self.student.answer(one, self.scope, "taught").right:
                    wrong += 1
                    told.update(_facts(one))
                    self.student.tell(one, self.scope)
            first = last
            after = self.student.answers(self.hidden, self.scope, f"{AFTER} {point:g}")
            measured.curve[point].append(mean([one.right for one in after]))
            measured.memory[point].append(len(told))
        measured.needed.append(wrong / max(1, len(self.taught)))
        measured.add(AFTER, self.hidden, after, facts)
        measured.add(CONTEXT, self.hidden, self.student.answers(self.hidden, self.scope, CONTEXT), facts)
        again = self.student.answers(self.taught, self.scope, TAUGHT)
        measured.right[TAUGHT][ALL].append(mean([one.right for one in again]))
        measured.flips.update(
            flip(before=one.right, after=other.right) for one, other in zip(before, after, strict=True)
        )


def _facts(one: Choice) -> list[str]:
    return [words_of(fact) for fact in one.core]
