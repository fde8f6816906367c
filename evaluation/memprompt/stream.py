"""A stream of MemPrompt (sections 3.3 and 4): a user asks questions, and corrects where they were misunderstood.

Everything goes through the assistant, as on the page. Only the first answer to a question counts. Each step has its own
random generator, seeded by the stream and the number of the step, so that a stopped stream continues identically.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import NamedTuple, cast

from assistant.types import Reaction, Scope, Turn
from evaluation.harness.model import MeasuredModel
from evaluation.harness.report import Cell, mean
from evaluation.harness.runner import ResultLog
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.memprompt.everyday import EVERYDAY, EverydayItem, ask_everyday
from evaluation.memprompt.memories import GROWING, MEMORIES, NO_MEMORY
from evaluation.memprompt.word_tasks import WordItem, ask_words
from ui.server.services import Services

LAST = 100
"""Steps at the end of a stream for the final accuracy."""
Item = WordItem | EverydayItem


class StreamSettings(NamedTuple):
    """Settings of one stream; together they name it and its user."""

    task: str
    lang: str
    memory: str
    seed: int
    length: int  # questions

    def items(self) -> Iterable[Item]:
        """Return the questions; they do not depend on the memory."""
        ask = ask_everyday if self.task in EVERYDAY else ask_words
        return ask(self.task, self.lang, self.seed, self.length)


@dataclass(frozen=True, slots=True)
class StreamStep:
    """Outcome of a question. Understanding and answer are of the first reply."""

    type: str
    groups: tuple[str, ...]
    question: str
    understanding: str
    answer: str
    understood: bool  # Acc(u)
    answered: bool  # Acc(y)
    note: str  # `right`, `wrong` (a used entry is of another type), or empty
    prompt_tokens: int  # of the first prompt
    said: str = ""  # correction by the user, if any
    again: bool = False  # understood after the correction
    entry: str = ""  # id of the stored entry, if any


class StreamRun:
    """One stream, as a user of its own."""

    def __init__(self, settings: StreamSettings, services: Services, log: ResultLog[StreamStep]) -> None:
        self.settings, self.name, self.log = settings, "-".join(map(str, settings)), log
        assistant = MEMORIES[settings.memory](services.assistant, services.parts.embedder, settings.lang)
        self.subject, self.settle = SimulatedUser(assistant, Scope(self.name)), services.settle
        self.model = cast("MeasuredModel", assistant.runner.model)
        self.types: dict[str, str] = {}  # by the entry that was stored

    def run(self) -> list[StreamStep]:
        """Run or continue the stream; return all steps."""
        steps = []
        for number, item in enumerate(self.settings.items()):
            name = f"{self.name} {number}"
            steps.append(self.log.of(name, partial(self._step, name, item)))
            self.types[steps[-1].entry] = item.type
        return steps

    def _step(self, name: str, item: Item) -> StreamStep:
        self.settle()
        before = self.model.cost.prompt
        turn = self.subject.ask(item.question)
        tokens = self.model.cost.prompt - before
        verdict = item.judge(turn)
        # A growing prompt has the same notes for all questions.
        used = [entry for entry in turn.used if entry in self.types and self.settings.memory != GROWING]
        misleading = [entry for entry in used if self.types[entry] != item.type]
        note = "" if not used else "wrong" if misleading else "right"
        reply = turn.reply
        step = StreamStep(
            item.type, item.groups, item.question, reply.understanding, reply.answer, *verdict, note, tokens
        )
        if verdict.understood or self.settings.memory == NO_MEMORY:
            return step
        return self._teach(step, item, turn, misleading, Random(name))  # noqa: S311  a repeatable choice is wanted

    def _teach(self, step: StreamStep, item: Item, turn: Turn, misleading: Sequence[str], chance: Random) -> StreamStep:
        """Exclude misleading entries; if that does not help, correct the answer."""
        for entry in misleading:
            turn = self.subject.react(turn, Reaction.EXCLUDE, entry)
        said = item.correct(chance)
        if not said or (misleading and item.judge(turn).understood):
            return step
        turn, stored = self.subject.correct(turn, said)
        again = item.judge(turn).understood
        if again and self.settings.memory == GROWING:
            self.subject.react(turn, Reaction.CONFIRM)
        return replace(step, said=said, again=again, entry=stored.id)


def measure_runs(runs: Sequence[Sequence[StreamStep]]) -> dict[str, Cell]:
    """Return the measures of one memory, and Acc(u) by group of questions, from the steps of each seed."""
    every = [step for steps in runs for step in steps]
    notes = Counter(step.note for step in every)
    groups = sorted({group for step in every for group in step.groups})
    return {
        "questions": len(every),
        f"Acc(u), last {LAST}": mean(mean(step.understood for step in steps[-LAST:]) for steps in runs),
        "last quarter": mean(mean(step.understood for step in steps[-len(steps) // 4 :]) for steps in runs),
        "Acc(u)": mean(step.understood for step in every),
        **{group: mean(step.understood for step in every if group in step.groups) for group in groups},
        "corrections": sum(bool(step.said) for step in every),
        "corrected": mean(step.again for step in every if step.said),
        "Acc(y)": mean(step.answered for step in every),
        "right note": notes["right"],
        "wrong note": notes["wrong"],
        "prompt tokens": round(mean(step.prompt_tokens for step in every)),
    }
