"""A simulated teacher, as in section 4 of TeachMe: it tells the missing facts after a wrong answer.

A language model is taught with EntailmentBank; half of the questions are hidden, and it thinks each through. The
teacher tells the core facts after a wrong answer, and nothing after a right one. Hidden questions are asked before,
after each quarter of teaching, and with all facts ("upper bound").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated

import typer

from assistant.conversation import Assistant
from assistant.errors import BadReply, ContentRefused, ContextFull, EmptyReply, ModelError, StreamCut
from assistant.papers.teachme.teaching import Teaching
from assistant.types import Scope, TurnState
from evaluation.harness.options import MODELS, RUNS, Data, Out, Seed
from evaluation.harness.report import Report, publish
from evaluation.harness.runner import ResultLog, Runner
from evaluation.harness.scorer import ALL, ScoreTally
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.teachme.bank import Choice, normalize_facts, read_choices, split_choices

QUARTERS = 4
BEFORE, AFTER, UPPER = "before teaching", "after teaching", "upper bound"
FIRST, AGAIN = "taught ones, before told", "taught ones, asked again"
RESTING = "rest on what was taught"
# With these errors, one answer counts as wrong. Any other failure ends the run, which can be continued.
_OF_ONE = frozenset(error.code for error in (BadReply, ContentRefused, ContextFull, EmptyReply, StreamCut))


def teachme(
    context: typer.Context,
    data: Data,
    model: Annotated[str, typer.Option(help=f"Is taught: {MODELS}. The embedded one thinks nothing through.")],
    *,
    out: Out = RUNS / "teachme",
    seed: Seed = 0,
    most: Annotated[int, typer.Option(min=0, help="Questions of a short run; 0 for all.")] = 0,
) -> None:
    """Teach as TeachMe does: a teacher tells the missing facts after a wrong answer.

    Each question takes up to 38 calls, so try it with --most first.
    """
    taught, hidden = split_choices(read_choices(data, seed), seed, most)
    runner = Runner(out, context.params, model)
    asked = 2 * len(taught) + (2 + QUARTERS) * len(hidden)
    with runner.app() as services, runner.asking(services, asked) as tell:
        right = run(taught, hidden, seed, services.assistant, runner.log(GivenAnswer, tell))
    settings = {"seed": seed, "taught": len(taught), "hidden": len(hidden)}
    publish(Report(name="teachme", tables=(right.table("questions right"),), model=model, settings=settings), out)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer."""

    answer: str
    right: bool


def run(
    taught: Sequence[Choice], hidden: Sequence[Choice], seed: int, assistant: Assistant, log: ResultLog[GivenAnswer]
) -> ScoreTally:
    """Teach and test, or continue. Raises ModelError if the model failed; finished steps are kept."""
    right, facts = ScoreTally(), {fact for one in taught for fact in normalize_facts(one)}
    groups = [ALL if facts.isdisjoint(normalize_facts(one)) else RESTING for one in hidden]
    right.add(BEFORE, Student(assistant, log, Scope(f"{seed} nothing")).answers(hidden, BEFORE), groups)
    in_order = Random(f"{seed} 0").sample([*taught], len(taught))  # noqa: S311
    student, first = Student(assistant, log, Scope(f"{seed} taught")), list[bool]()
    for quarter in range(QUARTERS):
        for one in in_order[len(first) : round((quarter + 1) / QUARTERS * len(taught))]:
            first.append(student.answer(one, "taught").right)
            if not first[-1]:
                student.tell(one)
        way = f"{AFTER} {(quarter + 1) / QUARTERS:.0%}"
        right.add(way, student.answers(hidden, way), groups)
    right.add(FIRST, first)
    right.add(AGAIN, student.answers(in_order, AGAIN))
    everything = Student(assistant, log, Scope(f"{seed} everything"))
    for one in taught:
        everything.tell(one)
    right.add(UPPER, everything.answers(hidden, UPPER), groups)
    return right


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
