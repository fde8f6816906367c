"""A simulated teacher, as in section 4 of TeachMe: it tells the missing facts after a wrong answer.

A language model is taught with EntailmentBank; half of the questions are hidden, and it thinks each through. The
teacher tells the core facts after a wrong answer, and nothing after a right one. Hidden questions are asked before,
after each quarter of teaching, and with all facts ("upper bound").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Annotated

import typer

from assistant.conversation import Assistant
from assistant.errors import BadReply, ContentRefused, ContextFull, EmptyReply, ModelError, StreamCut
from assistant.papers.teachme.teaching import Teaching
from assistant.types import Scope, TurnState
from evaluation.harness.options import MODELS, RUNS, Data, Out, Seed
from evaluation.harness.report import Report, Table, mean, publish
from evaluation.harness.runner import ResultLog, Runner
from evaluation.harness.scorer import ALL, ScoreTally, count_flips
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.teachme.bank import Choice, normalize_facts, read_choices, split_choices

POINTS = (0.25, 0.5, 0.75, 1.0)
BEFORE, AFTER, UPPER, TAUGHT = "before teaching", "after teaching", "upper bound", "taught ones, asked again"
RESTING = "rest on what was taught"
# With these errors, one answer counts as wrong. Any other failure ends the run, which can be continued.
_OF_ONE = frozenset(error.code for error in (BadReply, ContentRefused, ContextFull, EmptyReply, StreamCut))


def teachme(
    data: Data,
    model: Annotated[str, typer.Option(help=f"Is taught: {MODELS}. The embedded one thinks nothing through.")],
    *,
    out: Out = RUNS / "teachme",
    seed: Seed = 0,
    orders: Annotated[int, typer.Option(min=1, help="In which is taught; the paper has 3.")] = 1,
    most: Annotated[int, typer.Option(min=0, help="Questions of a short run; 0 for all.")] = 0,
) -> None:
    """Teach as TeachMe does: a teacher tells the missing facts after a wrong answer.

    Each question takes up to fifty calls, so try it with --most first.
    """
    plan = TeachingPlan(*split_choices(read_choices(data, seed), seed, most), seed, orders)
    runner = Runner(out, model)
    with runner.app() as services, runner.asking(services, plan.asked) as tell:
        results = run(plan, services.assistant, runner.log(GivenAnswer, tell))
    settings = {"seed": seed, "orders": orders, "taught": len(plan.taught), "hidden": len(plan.hidden)}
    publish(Report(name="teachme", tables=results.tables(), model=model, settings=settings), out)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer."""

    answer: str
    right: bool


@dataclass(frozen=True, slots=True)
class TeachingPlan:
    """Questions to teach and to hide."""

    taught: Sequence[Choice]
    hidden: Sequence[Choice]
    seed: int = 0
    orders: int = 1  # number of random orders

    @property
    def asked(self) -> int:
        """Return the number of questions asked."""
        in_order = 2 * len(self.taught) + len(POINTS) * len(self.hidden)
        return 2 * len(self.hidden) + self.orders * in_order


@dataclass(slots=True)
class TeachingResults:
    """Results of all orders."""

    right: ScoreTally = field(default_factory=ScoreTally)
    curve: dict[float, list[float]] = field(default_factory=lambda: defaultdict(list))  # by the share taught
    memory: dict[float, list[int]] = field(default_factory=lambda: defaultdict(list))  # number of facts told
    needed: list[float] = field(default_factory=list)  # share of taught questions with feedback
    before: list[bool] = field(default_factory=list)
    after: list[bool] = field(default_factory=list)

    def tables(self) -> tuple[Table, ...]:
        by_size = {
            f"{point:.0%}": {"facts told": mean(self.memory[point]), "hidden questions right": mean(right)}
            for point, right in sorted(self.curve.items())
        }
        return (
            self.right.table("questions right"),
            Table.of("taught so far", by_size),
            count_flips("hidden questions, before and after", self.before, self.after),
            Table.of("of the taught questions", {"all": {"needed feedback": mean(self.needed)}}),
        )


def run(plan: TeachingPlan, assistant: Assistant, log: ResultLog[GivenAnswer]) -> TeachingResults:
    """Teach and test, or continue. Raises ModelError if the model failed; finished steps are kept."""
    results, facts = TeachingResults(), {fact for one in plan.taught for fact in normalize_facts(one)}
    groups = [ALL if facts.isdisjoint(normalize_facts(one)) else RESTING for one in plan.hidden]
    nothing = Student(assistant, log, Scope(f"{plan.seed} nothing"))
    before = nothing.answers(plan.hidden, BEFORE)
    results.right.add(BEFORE, before, groups)
    for order in range(plan.orders):
        taught = Random(f"{plan.seed} {order}").sample([*plan.taught], len(plan.taught))  # noqa: S311
        student = Student(assistant, log, Scope(f"{plan.seed} order {order}"))
        after = _teach(student, taught, plan.hidden, results, before)
        results.right.add(AFTER, after, groups)
        results.right.add(TAUGHT, student.answers(taught, TAUGHT))
        results.before += before
        results.after += after
    everything = Student(assistant, log, Scope(f"{plan.seed} everything"))
    for one in plan.taught:
        everything.tell(one)
    results.right.add(UPPER, everything.answers(plan.hidden, UPPER), groups)
    return results


def _teach(
    student: Student, taught: Sequence[Choice], hidden: Sequence[Choice], results: TeachingResults, before: list[bool]
) -> list[bool]:
    """Teach in one order; return which hidden questions are right at the end."""
    wrong, told, first, after = 0, set[str](), 0, before
    results.curve[0.0].append(mean(before))
    results.memory[0.0].append(0)
    for point in POINTS:
        last = round(point * len(taught))
        for one in taught[first:last]:
            if not student.answer(one, "taught").right:
                wrong += 1
                told.update(normalize_facts(one))
                student.tell(one)
        first = last
        after = student.answers(hidden, f"{AFTER} {point:g}")
        results.curve[point].append(mean(after))
        results.memory[point].append(len(told))
    results.needed.append(wrong / max(1, len(taught)))
    return after


class Student:
    """A user of the app who is taught."""

    def __init__(self, assistant: Assistant, log: ResultLog[GivenAnswer], scope: Scope) -> None:
        self.log, self.scope, self.told = log, scope, SimulatedUser(assistant, scope)
        self.asked = SimulatedUser(assistant.with_parts(generator=Teaching(assistant).thinking()), scope)

    def answers(self, some: Sequence[Choice], way: str) -> list[bool]:
        """Return whether each answer is right."""
        return [self.answer(one, way).right for one in some]

    def answer(self, one: Choice, way: str) -> GivenAnswer:
        """Ask in a new conversation. Raises ModelError if the model failed; nothing is logged then."""
        step = f"{self.scope.person}/{way}/{one.text}"

        def ask() -> GivenAnswer:
            turn = self.asked.ask(one.text, step)
            if turn.state is TurnState.FAILED and turn.error is not None and turn.error.code not in _OF_ONE:
                raise ModelError(turn.error.code, **turn.error.parameters)
            return GivenAnswer(turn.reply.answer, one.is_right(turn.reply.answer))

        return self.log.of(step, ask)

    def tell(self, one: Choice) -> None:
        """Tell its core facts, at the question."""
        for fact in one.facts:
            self.told.tell(fact, told_at=one.text)
