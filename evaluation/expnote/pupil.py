"""A person whose memory is taught by cases, one after the other, and tested; what was done is written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assistant.events import RunSoFar
from assistant.papers.expnote.noting import Case, known_lessons
from assistant.papers.expnote.practice import learn
from assistant.types import Action, Draft, Entry, Scope, Turn
from evaluation.expnote.tasks.task import Item
from evaluation.expnote.taught import Taught
from evaluation.streams.step_log import StepLog
from evaluation.teachme.told import asked


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, and what became of it; one line of the log."""

    said: str
    right: bool
    used: int = 0  # entries on which it rests
    lesson: str = ""  # that was drawn


@dataclass(frozen=True, slots=True)
class Pupil:
    """See the module."""

    taught: Taught
    log: StepLog[Answer]
    scope: Scope

    def practise(self, cases: Sequence[Item], first: int = 0) -> list[Answer]:
        """Answer each case, be told the right answer, count for and against what was used, and note a lesson."""
        numbered = enumerate(cases, start=first)
        return [self._step(f"case {number}", partial(self._practised, case)) for number, case in numbered]

    def tested(self, phase: str, tests: Sequence[Item]) -> list[Answer]:
        """The answers to held-out questions; nothing is learnt of them."""
        return [self._step(f"{phase} {number}", partial(self._tested, test)) for number, test in enumerate(tests)]

    def retried(self, tests: Sequence[Item]) -> list[Answer]:
        """With a second try, and so on, where an answer was wrong: in another sense that the model says it may have.

        As Reflexion in section 4.2: it is told that it failed, and not what is right.
        """
        return [self._step(f"retry {number}", partial(self._retried, test)) for number, test in enumerate(tests)]

    def shown(self, tests: Sequence[Item], key_of: Callable[[Item], Sequence[str]]) -> float:
        """For which share of the questions the lessons under all of its keys are shown to the model."""
        found = 0
        for test in tests:
            decisions = self.taught.assistant.preview(test.question, self.scope)
            shown = {decision.entry.question for decision in decisions if decision.action is Action.OFFER}
            found += shown.issuperset(key_of(test))
        return found / len(tests)

    def remember(self, drafts: Sequence[Draft]) -> None:
        """Have these noted."""
        for draft in drafts:
            self.taught.assistant.memory.remember(draft, self.scope)

    def lessons(self) -> list[Entry]:
        """All that count, the newest first."""
        return known_lessons(self.taught.assistant.memory, self.scope)

    def _step(self, name: str, do: Callable[[str], Answer]) -> Answer:
        step = f"{self.scope.person}/{name}"
        return self.log.of(step, lambda: do(step))

    def _tested(self, test: Item, step: str) -> Answer:
        return self._answered(self._asked(step, test), test)

    def _practised(self, case: Item, step: str) -> Answer:
        turn = self._asked(step, case)
        answer = self._answered(turn, case)
        told = Case(case.question, case.answer, case.answer if answer.right else turn.reply.answer)
        drawn = learn(turn, told, self.taught.note_taker, self.taught.assistant.memory, self.scope)
        return replace(answer, lesson=drawn.lesson.rule if drawn else "")

    def _retried(self, test: Item, step: str) -> Answer:
        scope = Scope(step)  # what is said of one question counts for no other
        turn = asked(self.taught.assistant, test.question, scope, step)
        readings = turn.reply.fields.get("readings", ())
        for reading in readings if isinstance(readings, tuple) else ():
            if self._answered(turn, test).right:
                break
            turn = RunSoFar().after(self.taught.assistant.clarify(turn.id, reading, scope)).turn
        return self._answered(turn, test)

    def _asked(self, step: str, item: Item) -> Turn:
        return asked(self.taught.assistant, item.question, self.scope, step)

    def _answered(self, turn: Turn, item: Item) -> Answer:
        return Answer(turn.reply.answer, self.taught.is_right(turn, item), len(turn.used))
